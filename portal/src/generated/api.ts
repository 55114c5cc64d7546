// Made by `npm run generate` from the tables of the servers. Changes by hand are lost.

import type { TypeReference } from "../../../clients/generator/type-reference.ts";

export interface ApiOperation {
  readonly path: string;
  readonly area: string;
  readonly name: string;
  readonly summary: string;
  /** The name of its request's type. */
  readonly request: string;
  readonly idempotencyField?: string;
  /** The usual request first; the others say what they show. */
  readonly samples: readonly { readonly title?: string; readonly request: object }[];
}

export const apiOperations: readonly ApiOperation[] = [
  {
    "path": "payments/pay",
    "area": "payments",
    "name": "pay",
    "summary": "Takes a payment.",
    "request": "PayRequest",
    "idempotencyField": "paymentRequestId",
    "samples": [
      {
        "request": {
          "productCode": "CASHIER_PAYMENT",
          "paymentRequestId": "order-1001-attempt-1",
          "order": {
            "referenceOrderId": "order-1001",
            "orderDescription": "Two coffees",
            "orderAmount": {
              "currency": "EUR",
              "value": "1250"
            }
          },
          "paymentAmount": {
            "currency": "EUR",
            "value": "1250"
          },
          "paymentMethod": {
            "paymentMethodType": "GCASH"
          },
          "paymentRedirectUrl": "https://shop.example/thanks",
          "paymentNotifyUrl": "https://shop.example/notify",
          "env": {
            "terminalType": "WEB"
          }
        }
      },
      {
        "title": "Online, on the buyer's phone",
        "request": {
          "productCode": "CASHIER_PAYMENT",
          "paymentRequestId": "order-1001-phone",
          "order": {
            "referenceOrderId": "order-1001",
            "orderDescription": "Two coffees",
            "orderAmount": {
              "currency": "EUR",
              "value": "1250"
            }
          },
          "paymentAmount": {
            "currency": "EUR",
            "value": "1250"
          },
          "paymentMethod": {
            "paymentMethodType": "GCASH"
          },
          "paymentRedirectUrl": "https://shop.example/thanks",
          "paymentNotifyUrl": "https://shop.example/notify",
          "env": {
            "terminalType": "WAP",
            "osType": "ANDROID"
          }
        }
      },
      {
        "title": "Online: hold the money now, capture it later",
        "request": {
          "productCode": "CASHIER_PAYMENT",
          "paymentRequestId": "order-1001-hold",
          "order": {
            "referenceOrderId": "order-1001",
            "orderDescription": "Two coffees",
            "orderAmount": {
              "currency": "EUR",
              "value": "1250"
            }
          },
          "paymentAmount": {
            "currency": "EUR",
            "value": "1250"
          },
          "paymentMethod": {
            "paymentMethodType": "GCASH"
          },
          "paymentFactor": {
            "isAuthorization": true,
            "captureMode": "MANUAL"
          },
          "paymentRedirectUrl": "https://shop.example/thanks",
          "paymentNotifyUrl": "https://shop.example/notify",
          "env": {
            "terminalType": "WEB"
          }
        }
      },
      {
        "title": "With a token: charge a buyer who has agreed before",
        "request": {
          "productCode": "AGREEMENT_PAYMENT",
          "paymentRequestId": "subscription-77-november",
          "order": {
            "referenceOrderId": "subscription-77",
            "orderDescription": "Coffee of the month",
            "orderAmount": {
              "currency": "EUR",
              "value": "1250"
            }
          },
          "paymentAmount": {
            "currency": "EUR",
            "value": "1250"
          },
          "paymentMethod": {
            "paymentMethodType": "GCASH",
            "paymentMethodId": "5yQ2nT8vBz1cXw4mKd7fGh0jLp3sRa6uEi9oYt"
          },
          "paymentNotifyUrl": "https://shop.example/notify"
        }
      },
      {
        "title": "In a store: the till scans the buyer's code",
        "request": {
          "paymentRequestId": "till-2-0815",
          "productCode": "IN_STORE_PAYMENT",
          "order": {
            "referenceOrderId": "order-1001",
            "orderDescription": "Two coffees",
            "orderAmount": {
              "currency": "EUR",
              "value": "1250"
            },
            "merchant": {
              "referenceMerchantId": "coffee-lab",
              "merchantName": "Coffee Lab",
              "merchantMCC": "5814",
              "store": {
                "referenceStoreId": "harbour",
                "storeName": "Coffee Lab, Harbour",
                "storeMCC": "5814"
              }
            },
            "env": {
              "storeTerminalId": "till-2",
              "storeTerminalRequestTime": "2026-11-15T09:29:59+00:00"
            }
          },
          "paymentAmount": {
            "currency": "EUR",
            "value": "1250"
          },
          "paymentMethod": {
            "paymentMethodType": "GCASH",
            "paymentMethodId": "281012345678901234"
          },
          "paymentFactor": {
            "inStorePaymentScenario": "PaymentCode"
          },
          "paymentNotifyUrl": "https://shop.example/notify"
        }
      },
      {
        "title": "In a store: the till shows a code, and the buyer scans it",
        "request": {
          "productCode": "IN_STORE_PAYMENT",
          "order": {
            "referenceOrderId": "order-1001",
            "orderDescription": "Two coffees",
            "orderAmount": {
              "currency": "EUR",
              "value": "1250"
            },
            "merchant": {
              "referenceMerchantId": "coffee-lab",
              "merchantName": "Coffee Lab",
              "merchantMCC": "5814",
              "store": {
                "referenceStoreId": "harbour",
                "storeName": "Coffee Lab, Harbour",
                "storeMCC": "5814"
              }
            },
            "env": {
              "storeTerminalId": "till-2",
              "storeTerminalRequestTime": "2026-11-15T09:29:59+00:00"
            }
          },
          "paymentAmount": {
            "currency": "EUR",
            "value": "1250"
          },
          "paymentMethod": {
            "paymentMethodType": "GCASH"
          },
          "paymentFactor": {
            "inStorePaymentScenario": "OrderCode"
          },
          "paymentNotifyUrl": "https://shop.example/notify",
          "paymentRequestId": "till-2-0816"
        }
      },
      {
        "title": "In a store: the buyer scans a printed code",
        "request": {
          "productCode": "IN_STORE_PAYMENT",
          "order": {
            "referenceOrderId": "order-1001",
            "orderDescription": "Two coffees",
            "orderAmount": {
              "currency": "EUR",
              "value": "1250"
            },
            "merchant": {
              "referenceMerchantId": "coffee-lab",
              "merchantName": "Coffee Lab",
              "merchantMCC": "5814",
              "store": {
                "referenceStoreId": "harbour",
                "storeName": "Coffee Lab, Harbour",
                "storeMCC": "5814"
              }
            },
            "env": {
              "userAgent": "Mozilla/5.0 (Linux; Android 16)"
            }
          },
          "paymentAmount": {
            "currency": "EUR",
            "value": "1250"
          },
          "paymentMethod": {
            "paymentMethodType": "GCASH"
          },
          "paymentFactor": {
            "inStorePaymentScenario": "EntryCode"
          },
          "paymentNotifyUrl": "https://shop.example/notify",
          "paymentRequestId": "table-4-0817",
          "paymentRedirectUrl": "https://shop.example/table-4"
        }
      },
      {
        "title": "In a store: the buyer has too little money",
        "request": {
          "paymentRequestId": "till-2-0818",
          "productCode": "IN_STORE_PAYMENT",
          "order": {
            "referenceOrderId": "order-1001",
            "orderDescription": "Two coffees",
            "orderAmount": {
              "currency": "EUR",
              "value": "1250"
            },
            "merchant": {
              "referenceMerchantId": "coffee-lab",
              "merchantName": "Coffee Lab",
              "merchantMCC": "5814",
              "store": {
                "referenceStoreId": "harbour",
                "storeName": "Coffee Lab, Harbour",
                "storeMCC": "5814"
              }
            },
            "env": {
              "storeTerminalId": "till-2",
              "storeTerminalRequestTime": "2026-11-15T09:29:59+00:00"
            }
          },
          "paymentAmount": {
            "currency": "EUR",
            "value": "1250"
          },
          "paymentMethod": {
            "paymentMethodType": "GCASH",
            "paymentMethodId": "281012345678901234"
          },
          "paymentFactor": {
            "inStorePaymentScenario": "PaymentCode"
          },
          "paymentNotifyUrl": "https://shop.example/notify"
        }
      }
    ]
  },
  {
    "path": "payments/inquiryPayment",
    "area": "payments",
    "name": "inquiryPayment",
    "summary": "Tells the status and the details of a payment.",
    "request": "InquiryPaymentRequest",
    "samples": [
      {
        "request": {
          "paymentId": "20261115093000123047601530017744120"
        }
      },
      {
        "title": "By your own id, while the buyer still pays",
        "request": {
          "paymentRequestId": "order-1001-attempt-1"
        }
      },
      {
        "title": "Paid, and partly given back",
        "request": {
          "paymentId": "20261115093000123047601530017744120"
        }
      },
      {
        "title": "An id that nobody knows",
        "request": {
          "paymentRequestId": "order-9999-attempt-1"
        }
      }
    ]
  },
  {
    "path": "payments/cancel",
    "area": "payments",
    "name": "cancel",
    "summary": "Makes sure that a payment is not paid, or gives all of it back.",
    "request": "CancelRequest",
    "idempotencyField": "paymentId",
    "samples": [
      {
        "request": {
          "paymentRequestId": "order-1001-attempt-1"
        }
      },
      {
        "title": "By our id",
        "request": {
          "paymentId": "20261115093000123047601530017744120"
        }
      },
      {
        "title": "Too late to cancel: refund it instead",
        "request": {
          "paymentRequestId": "order-0007-attempt-1"
        }
      }
    ]
  },
  {
    "path": "payments/capture",
    "area": "payments",
    "name": "capture",
    "summary": "Takes all or part of the money that a payment holds.",
    "request": "CaptureRequest",
    "idempotencyField": "captureRequestId",
    "samples": [
      {
        "request": {
          "captureRequestId": "order-1001-capture-1",
          "paymentId": "20261115093000123047601530017744120",
          "captureAmount": {
            "currency": "EUR",
            "value": "1000"
          }
        }
      },
      {
        "title": "The last part: what is left is let go",
        "request": {
          "captureRequestId": "order-1001-capture-2",
          "paymentId": "20261115093000123047601530017744120",
          "captureAmount": {
            "currency": "EUR",
            "value": "200"
          },
          "isLastCapture": true
        }
      },
      {
        "title": "More than is held",
        "request": {
          "captureRequestId": "order-1001-capture-3",
          "paymentId": "20261115093000123047601530017744120",
          "captureAmount": {
            "currency": "EUR",
            "value": "9900"
          }
        }
      }
    ]
  },
  {
    "path": "payments/refund",
    "area": "payments",
    "name": "refund",
    "summary": "Gives all or part of a payment back to the buyer.",
    "request": "RefundRequest",
    "idempotencyField": "refundRequestId",
    "samples": [
      {
        "request": {
          "refundRequestId": "order-1001-refund-1",
          "paymentId": "20261115093000123047601530017744120",
          "refundAmount": {
            "currency": "EUR",
            "value": "350"
          },
          "refundReason": "One of the coffees was cold.",
          "refundNotifyUrl": "https://shop.example/notify"
        }
      },
      {
        "title": "All of it",
        "request": {
          "refundRequestId": "order-1001-refund-all",
          "paymentId": "20261115093000123047601530017744120",
          "refundAmount": {
            "currency": "EUR",
            "value": "1250"
          }
        }
      },
      {
        "title": "The wallet has not confirmed yet",
        "request": {
          "refundRequestId": "order-1001-refund-2",
          "paymentId": "20261115093000123047601530017744120",
          "refundAmount": {
            "currency": "EUR",
            "value": "100"
          },
          "refundNotifyUrl": "https://shop.example/notify"
        }
      },
      {
        "title": "More than is left",
        "request": {
          "refundRequestId": "order-1001-refund-3",
          "paymentId": "20261115093000123047601530017744120",
          "refundAmount": {
            "currency": "EUR",
            "value": "9900"
          }
        }
      }
    ]
  },
  {
    "path": "payments/inquiryRefund",
    "area": "payments",
    "name": "inquiryRefund",
    "summary": "Tells the status and the details of a refund.",
    "request": "InquiryRefundRequest",
    "samples": [
      {
        "request": {
          "refundRequestId": "order-1001-refund-1"
        }
      },
      {
        "title": "Still on its way",
        "request": {
          "refundId": "20261116141503418047602904415082637"
        }
      }
    ]
  },
  {
    "path": "payments/consult",
    "area": "payments",
    "name": "consult",
    "summary": "Lists the payment methods that can be used for an amount.",
    "request": "PaymentConsultRequest",
    "samples": [
      {
        "request": {
          "productCode": "CASHIER_PAYMENT",
          "paymentAmount": {
            "currency": "EUR",
            "value": "1250"
          },
          "env": {
            "terminalType": "WEB"
          },
          "userRegion": "PH",
          "allowedPaymentMethods": [
            "GCASH",
            "MAYA"
          ]
        }
      },
      {
        "title": "All methods, for a buyer with a phone",
        "request": {
          "productCode": "CASHIER_PAYMENT",
          "paymentAmount": {
            "currency": "PHP",
            "value": "45000"
          },
          "env": {
            "terminalType": "APP",
            "osType": "IOS"
          },
          "userRegion": "PH"
        }
      }
    ]
  },
  {
    "path": "payments/createPaymentSession",
    "area": "payments",
    "name": "createPaymentSession",
    "summary": "Opens a payment whose buyer chooses how to pay.",
    "request": "CreatePaymentSessionRequest",
    "idempotencyField": "paymentRequestId",
    "samples": [
      {
        "request": {
          "productCode": "CASHIER_PAYMENT",
          "productScene": "CHECKOUT_PAYMENT",
          "paymentRequestId": "order-1002-attempt-1",
          "order": {
            "referenceOrderId": "order-1002",
            "orderDescription": "Two coffees",
            "orderAmount": {
              "currency": "EUR",
              "value": "1250"
            }
          },
          "paymentAmount": {
            "currency": "EUR",
            "value": "1250"
          },
          "paymentRedirectUrl": "https://shop.example/thanks",
          "paymentNotifyUrl": "https://shop.example/notify"
        }
      },
      {
        "title": "Only two methods, in your order",
        "request": {
          "productCode": "CASHIER_PAYMENT",
          "paymentRequestId": "order-1003-attempt-1",
          "order": {
            "referenceOrderId": "order-1003",
            "orderDescription": "Two coffees",
            "orderAmount": {
              "currency": "EUR",
              "value": "1250"
            }
          },
          "paymentAmount": {
            "currency": "EUR",
            "value": "1250"
          },
          "paymentRedirectUrl": "https://shop.example/thanks",
          "availablePaymentMethod": {
            "paymentMethodTypeList": [
              {
                "paymentMethodType": "GCASH",
                "paymentMethodOrder": 1
              },
              {
                "paymentMethodType": "MAYA",
                "paymentMethodOrder": 2
              }
            ]
          },
          "customizedInfo": {
            "customizedField1": "table 4"
          }
        }
      }
    ]
  },
  {
    "path": "payments/retrievePaymentSession",
    "area": "payments",
    "name": "retrievePaymentSession",
    "summary": "Tells what a payment session is about.",
    "request": "RetrievePaymentSessionRequest",
    "samples": [
      {
        "request": {
          "paymentRequestId": "order-1002-attempt-1"
        }
      }
    ]
  },
  {
    "path": "payments/acceptDispute",
    "area": "payments",
    "name": "acceptDispute",
    "summary": "Gives in to a chargeback: the buyer gets the money back.",
    "request": "AcceptDisputeRequest",
    "idempotencyField": "disputeId",
    "samples": [
      {
        "request": {
          "disputeId": "20261118101530482047605661029384756"
        }
      }
    ]
  },
  {
    "path": "payments/supplyDefenseDocument",
    "area": "payments",
    "name": "supplyDefenseDocument",
    "summary": "Defends against a dispute, or hands in the papers that are asked for.",
    "request": "SupplyDefenseDocumentRequest",
    "idempotencyField": "disputeId",
    "samples": [
      {
        "request": {
          "disputeId": "20261118101530482047605661029384756",
          "disputeEvidence": "JVBERi0xLjQK"
        }
      }
    ]
  },
  {
    "path": "payments/downloadDisputeEvidence",
    "area": "payments",
    "name": "downloadDisputeEvidence",
    "summary": "Gives a letter to defend with, or the document that was handed in.",
    "request": "DownloadDisputeEvidenceRequest",
    "samples": [
      {
        "request": {
          "disputeId": "20261118101530482047605661029384756",
          "disputeEvidenceType": "DISPUTE_EVIDENCE_TEMPLATE"
        }
      }
    ]
  },
  {
    "path": "authorizations/consult",
    "area": "authorizations",
    "name": "consult",
    "summary": "Asks a buyer to agree to something, such as payments without a look at each.",
    "request": "AuthorizationConsultRequest",
    "idempotencyField": "authState",
    "samples": [
      {
        "request": {
          "customerBelongsTo": "GCASH",
          "authRedirectUrl": "https://shop.example/linked",
          "scopes": [
            "AGREEMENT_PAY"
          ],
          "authState": "link-4711",
          "env": {
            "terminalType": "WEB"
          },
          "authNotifyUrl": "https://shop.example/notify"
        }
      }
    ]
  },
  {
    "path": "authorizations/applyToken",
    "area": "authorizations",
    "name": "applyToken",
    "summary": "Gives an access token for a buyer's code, or a new one for a refresh token.",
    "request": "ApplyTokenRequest",
    "idempotencyField": "authCode",
    "samples": [
      {
        "request": {
          "grantType": "AUTHORIZATION_CODE",
          "customerBelongsTo": "GCASH",
          "authCode": "mV3kQ0w8tZy5cB1nXr7dLf2gHj9sPa4uEi6oTq"
        }
      },
      {
        "title": "A new pair for the refresh token",
        "request": {
          "grantType": "REFRESH_TOKEN",
          "customerBelongsTo": "GCASH",
          "refreshToken": "h8Kd2fLw5nQz7vTb0cXy3mGp6sRa9uEi1oJt4e"
        }
      }
    ]
  },
  {
    "path": "authorizations/query",
    "area": "authorizations",
    "name": "query",
    "summary": "Tells where an access token stands.",
    "request": "QueryRequest",
    "samples": [
      {
        "request": {
          "accessToken": "5yQ2nT8vBz1cXw4mKd7fGh0jLp3sRa6uEi9oYt"
        }
      },
      {
        "title": "The buyer has taken it back",
        "request": {
          "accessToken": "5yQ2nT8vBz1cXw4mKd7fGh0jLp3sRa6uEi9oYt"
        }
      }
    ]
  },
  {
    "path": "authorizations/revoke",
    "area": "authorizations",
    "name": "revoke",
    "summary": "Ends what a buyer has agreed to.",
    "request": "RevokeRequest",
    "idempotencyField": "accessToken",
    "samples": [
      {
        "request": {
          "accessToken": "5yQ2nT8vBz1cXw4mKd7fGh0jLp3sRa6uEi9oYt"
        }
      }
    ]
  },
  {
    "path": "merchants/registration",
    "area": "merchants",
    "name": "registration",
    "summary": "Registers a merchant, or a store of one, with the wallets.",
    "request": "RegistrationRequest",
    "idempotencyField": "registrationRequestId",
    "samples": [
      {
        "request": {
          "registrationRequestId": "store-harbour-1",
          "productCodes": [
            "IN_STORE_PAYMENT"
          ],
          "merchantInfo": {
            "referenceMerchantId": "coffee-lab",
            "merchantDisplayName": "Coffee Lab",
            "merchantMCC": "5814",
            "registrationDetail": {
              "legalName": "Coffee Lab Ltd",
              "registrationNo": "HRB 12345"
            }
          },
          "storeInfo": {
            "referenceStoreId": "harbour",
            "storeName": "Coffee Lab, Harbour",
            "storeMCC": "5814"
          },
          "registrationNotifyURL": "https://shop.example/notify"
        }
      }
    ]
  },
  {
    "path": "merchants/inquiryRegistrationStatus",
    "area": "merchants",
    "name": "inquiryRegistrationStatus",
    "summary": "Tells where the registration of a merchant or a store stands.",
    "request": "InquiryRegistrationStatusRequest",
    "samples": [
      {
        "request": {
          "registrationRequestId": "store-harbour-1"
        }
      }
    ]
  },
  {
    "path": "merchants/inquiryRegistrationInfo",
    "area": "merchants",
    "name": "inquiryRegistrationInfo",
    "summary": "Tells the details under which a merchant or a store is registered.",
    "request": "InquiryRegistrationInfoRequest",
    "samples": [
      {
        "request": {
          "referenceMerchantId": "coffee-lab",
          "referenceStoreId": "harbour"
        }
      }
    ]
  },
  {
    "path": "tollgate/inquiryBalance",
    "area": "tollgate",
    "name": "inquiryBalance",
    "summary": "Shows what we owe you in each currency, and what of it is spoken for.",
    "request": "InquiryBalanceRequest",
    "samples": [
      {
        "request": {}
      }
    ]
  },
  {
    "path": "tollgate/inquiryStatements",
    "area": "tollgate",
    "name": "inquiryStatements",
    "summary": "Lists what changed in what we owe you, day by day, from the balance before to the balance after.",
    "request": "InquiryStatementsRequest",
    "samples": [
      {
        "request": {
          "currency": "EUR",
          "fromDay": "2026-11-15",
          "limit": 100
        }
      }
    ]
  },
  {
    "path": "tollgate/inquirySettlements",
    "area": "tollgate",
    "name": "inquirySettlements",
    "summary": "Lists what is paid out to you, and which movements each payout is made of.",
    "request": "InquirySettlementsRequest",
    "samples": [
      {
        "request": {
          "currency": "EUR",
          "fromDay": "2026-11-16",
          "toDay": "2026-11-16"
        }
      },
      {
        "title": "What a payout is made of",
        "request": {
          "batchId": "20261116160500000047611530017744120",
          "limit": 1
        }
      },
      {
        "title": "Paid in another currency",
        "request": {
          "currency": "EUR"
        }
      }
    ]
  },
  {
    "path": "tollgate/inquiryOpenRecords",
    "area": "tollgate",
    "name": "inquiryOpenRecords",
    "summary": "Lists what is not finished, whose move it is, and what happens next and when.",
    "request": "InquiryOpenRecordsRequest",
    "samples": [
      {
        "request": {
          "limit": 10
        }
      }
    ]
  },
  {
    "path": "tollgate/inquiryEvents",
    "area": "tollgate",
    "name": "inquiryEvents",
    "summary": "Reads on in the feed of everything that you are told by notification.",
    "request": "InquiryEventsRequest",
    "samples": [
      {
        "request": {
          "cursor": "41",
          "limit": 10
        }
      },
      {
        "title": "Where the feed ends now",
        "request": {
          "cursor": "latest"
        }
      }
    ]
  },
  {
    "path": "tollgate/inquiryNotifications",
    "area": "tollgate",
    "name": "inquiryNotifications",
    "summary": "Shows notifications, every attempt to deliver them, and what your system answered.",
    "request": "InquiryNotificationsRequest",
    "samples": [
      {
        "request": {
          "notificationStatus": "WAITING",
          "limit": 10
        }
      }
    ]
  },
  {
    "path": "tollgate/resendNotifications",
    "area": "tollgate",
    "name": "resendNotifications",
    "summary": "Sends notifications again: one, those of a payment, those of a window of time, or all from a place in the feed.",
    "request": "ResendNotificationsRequest",
    "samples": [
      {
        "request": {
          "createdFrom": "2026-11-15T00:00:00+00:00",
          "createdUntil": "2026-11-15T12:00:00+00:00"
        }
      },
      {
        "title": "All that a payment was told of",
        "request": {
          "subjectId": "20261115093000123047601530017744120"
        }
      }
    ]
  },
  {
    "path": "tollgate/changeEndpoints",
    "area": "tollgate",
    "name": "changeEndpoints",
    "summary": "Sets where you want to be told, and stops and starts the delivery to an address.",
    "request": "ChangeEndpointsRequest",
    "samples": [
      {
        "request": {
          "notifyUrls": [
            {
              "notificationKind": "notifyRefund",
              "url": "https://shop.example/refunds"
            }
          ],
          "pause": [
            "https://old.shop.example"
          ]
        }
      },
      {
        "title": "Only show what is set",
        "request": {}
      },
      {
        "title": "Send to an address again",
        "request": {
          "resume": [
            "https://old.shop.example"
          ]
        }
      }
    ]
  },
  {
    "path": "tollgate/changeBrand",
    "area": "tollgate",
    "name": "changeBrand",
    "summary": "Sets how your checkout pages look: colour, logo, and where buyers get help.",
    "request": "ChangeBrandRequest",
    "samples": [
      {
        "request": {
          "colour": "#0b6b3e",
          "supportUrl": "https://shop.example/help"
        }
      },
      {
        "title": "Only show what is set",
        "request": {}
      },
      {
        "title": "Take the logo away",
        "request": {
          "remove": [
            "LOGO"
          ]
        }
      }
    ]
  },
  {
    "path": "tollgate/advanceClock",
    "area": "tollgate",
    "name": "advanceClock",
    "summary": "Moves your clock in the sandbox, and shows what happened on the way, in order.",
    "request": "AdvanceClockRequest",
    "idempotencyField": "turnRequestId",
    "samples": [
      {
        "request": {
          "turnRequestId": "retries-1",
          "bySeconds": 120
        }
      },
      {
        "title": "To a time: a week later, when held money is let go",
        "request": {
          "turnRequestId": "week-1",
          "toTime": "2026-11-22T09:31:05+00:00"
        }
      }
    ]
  },
  {
    "path": "tollgate/orderFault",
    "area": "tollgate",
    "name": "orderFault",
    "summary": "Makes something go wrong with notifications in the sandbox, so that you see how your system takes it.",
    "request": "OrderFaultRequest",
    "samples": [
      {
        "request": {
          "faultRequestId": "twice",
          "fault": "DUPLICATE",
          "subjectId": "20261115093000123047601530017744120"
        }
      },
      {
        "title": "The next three come a minute late",
        "request": {
          "faultRequestId": "late",
          "fault": "DELAY",
          "count": 3,
          "delaySeconds": 60
        }
      },
      {
        "title": "Take it back",
        "request": {
          "faultRequestId": "late",
          "fault": "DELAY",
          "count": 0
        }
      }
    ]
  },
  {
    "path": "tollgate/inquiryKeyUse",
    "area": "tollgate",
    "name": "inquiryKeyUse",
    "summary": "Shows which of your keys and of ours signed how much, and which of yours you can revoke.",
    "request": "InquiryKeyUseRequest",
    "samples": [
      {
        "request": {
          "days": 7
        }
      }
    ]
  },
  {
    "path": "tollgate/useGatewayKey",
    "area": "tollgate",
    "name": "useGatewayKey",
    "summary": "Moves you to another of our keys, so that answers and notifications are signed with it.",
    "request": "UseGatewayKeyRequest",
    "samples": [
      {
        "request": {
          "keyVersion": 2
        }
      }
    ]
  },
  {
    "path": "tollgate/inquiryRequests",
    "area": "tollgate",
    "name": "inquiryRequests",
    "summary": "Shows the calls that you made, and how each was answered.",
    "request": "InquiryRequestsRequest",
    "samples": [
      {
        "request": {
          "resultCode": "PARAM_ILLEGAL",
          "limit": 10
        }
      }
    ]
  }
];

interface ApiField {
  readonly name: string;
  readonly type: TypeReference;
}

export const requestTypes: Readonly<Record<string, readonly ApiField[]>> = {
  "PayRequest": [
    {
      "name": "productCode",
      "type": {
        "kind": "enum",
        "name": "ProductCode"
      }
    },
    {
      "name": "paymentRequestId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "order",
      "type": {
        "kind": "object",
        "name": "Order"
      }
    },
    {
      "name": "paymentAmount",
      "type": {
        "kind": "object",
        "name": "Amount"
      }
    },
    {
      "name": "paymentMethod",
      "type": {
        "kind": "object",
        "name": "PaymentMethod"
      }
    },
    {
      "name": "paymentRedirectUrl",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentNotifyUrl",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentExpiryTime",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentFactor",
      "type": {
        "kind": "object",
        "name": "PaymentFactor"
      }
    },
    {
      "name": "settlementStrategy",
      "type": {
        "kind": "object",
        "name": "SettlementStrategy"
      }
    },
    {
      "name": "env",
      "type": {
        "kind": "object",
        "name": "Env"
      }
    },
    {
      "name": "userRegion",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantRegion",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "appId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantAccountId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "metadata",
      "type": {
        "kind": "text"
      }
    }
  ],
  "Order": [
    {
      "name": "referenceOrderId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "orderDescription",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "orderAmount",
      "type": {
        "kind": "object",
        "name": "Amount"
      }
    },
    {
      "name": "merchant",
      "type": {
        "kind": "object",
        "name": "Merchant"
      }
    },
    {
      "name": "goods",
      "type": {
        "kind": "list",
        "of": {
          "kind": "object",
          "name": "Goods"
        }
      }
    },
    {
      "name": "shipping",
      "type": {
        "kind": "object",
        "name": "Shipping"
      }
    },
    {
      "name": "buyer",
      "type": {
        "kind": "object",
        "name": "Buyer"
      }
    },
    {
      "name": "env",
      "type": {
        "kind": "object",
        "name": "StoreEnv"
      }
    },
    {
      "name": "extendInfo",
      "type": {
        "kind": "text"
      }
    }
  ],
  "Amount": [
    {
      "name": "currency",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "value",
      "type": {
        "kind": "text"
      }
    }
  ],
  "Merchant": [
    {
      "name": "referenceMerchantId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantMCC",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantDisplayName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantAddress",
      "type": {
        "kind": "object",
        "name": "Address"
      }
    },
    {
      "name": "store",
      "type": {
        "kind": "object",
        "name": "Store"
      }
    }
  ],
  "Address": [
    {
      "name": "region",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "state",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "city",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "address1",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "address2",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "zipCode",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "address3",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "label",
      "type": {
        "kind": "text"
      }
    }
  ],
  "Store": [
    {
      "name": "referenceStoreId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "storeName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "storeMCC",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "storeDisplayName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "storeTerminalId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "storeOperatorId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "storeAddress",
      "type": {
        "kind": "object",
        "name": "Address"
      }
    },
    {
      "name": "storePhoneNo",
      "type": {
        "kind": "text"
      }
    }
  ],
  "Goods": [
    {
      "name": "referenceGoodsId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "goodsName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "goodsCategory",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "goodsUnitAmount",
      "type": {
        "kind": "object",
        "name": "Amount"
      }
    },
    {
      "name": "goodsQuantity",
      "type": {
        "kind": "integer"
      }
    },
    {
      "name": "goodsUrl",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "deliveryMethodType",
      "type": {
        "kind": "enum",
        "name": "DeliveryMethodType"
      }
    }
  ],
  "Shipping": [
    {
      "name": "shippingName",
      "type": {
        "kind": "object",
        "name": "UserName"
      }
    },
    {
      "name": "shippingAddress",
      "type": {
        "kind": "object",
        "name": "Address"
      }
    },
    {
      "name": "shippingCarrier",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "shippingPhoneNo",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "shipToEmail",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "shippingFee",
      "type": {
        "kind": "object",
        "name": "Amount"
      }
    }
  ],
  "UserName": [
    {
      "name": "firstName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "middleName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "lastName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "fullName",
      "type": {
        "kind": "text"
      }
    }
  ],
  "Buyer": [
    {
      "name": "referenceBuyerId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "buyerName",
      "type": {
        "kind": "object",
        "name": "UserName"
      }
    },
    {
      "name": "buyerPhoneNo",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "buyerEmail",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "buyerRegistrationTime",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "isAccountVerified",
      "type": {
        "kind": "boolean"
      }
    },
    {
      "name": "successfulOrderCount",
      "type": {
        "kind": "integer"
      }
    }
  ],
  "StoreEnv": [
    {
      "name": "storeTerminalId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "storeTerminalRequestTime",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "terminalType",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "osType",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "userAgent",
      "type": {
        "kind": "text"
      }
    }
  ],
  "PaymentMethod": [
    {
      "name": "paymentMethodType",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentMethodId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "extendInfo",
      "type": {
        "kind": "text"
      }
    }
  ],
  "PaymentFactor": [
    {
      "name": "isAuthorization",
      "type": {
        "kind": "boolean"
      }
    },
    {
      "name": "captureMode",
      "type": {
        "kind": "enum",
        "name": "CaptureMode"
      }
    },
    {
      "name": "inStorePaymentScenario",
      "type": {
        "kind": "enum",
        "name": "InStorePaymentScenario"
      }
    }
  ],
  "SettlementStrategy": [
    {
      "name": "settlementCurrency",
      "type": {
        "kind": "text"
      }
    }
  ],
  "Env": [
    {
      "name": "terminalType",
      "type": {
        "kind": "enum",
        "name": "TerminalType"
      }
    },
    {
      "name": "osType",
      "type": {
        "kind": "enum",
        "name": "OsType"
      }
    },
    {
      "name": "osVersion",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "userAgent",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "clientIp",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "deviceTokenId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "deviceBrand",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "deviceModel",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "colorDepth",
      "type": {
        "kind": "integer"
      }
    },
    {
      "name": "screenHeight",
      "type": {
        "kind": "integer"
      }
    },
    {
      "name": "screenWidth",
      "type": {
        "kind": "integer"
      }
    },
    {
      "name": "timeZoneOffset",
      "type": {
        "kind": "integer"
      }
    },
    {
      "name": "extendInfo",
      "type": {
        "kind": "text"
      }
    }
  ],
  "InquiryPaymentRequest": [
    {
      "name": "paymentId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentRequestId",
      "type": {
        "kind": "text"
      }
    }
  ],
  "CancelRequest": [
    {
      "name": "paymentId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentRequestId",
      "type": {
        "kind": "text"
      }
    }
  ],
  "CaptureRequest": [
    {
      "name": "captureRequestId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "captureAmount",
      "type": {
        "kind": "object",
        "name": "Amount"
      }
    },
    {
      "name": "isLastCapture",
      "type": {
        "kind": "boolean"
      }
    }
  ],
  "RefundRequest": [
    {
      "name": "refundRequestId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "refundAmount",
      "type": {
        "kind": "object",
        "name": "Amount"
      }
    },
    {
      "name": "referenceRefundId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "refundReason",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "refundNotifyUrl",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "metadata",
      "type": {
        "kind": "text"
      }
    }
  ],
  "InquiryRefundRequest": [
    {
      "name": "refundId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "refundRequestId",
      "type": {
        "kind": "text"
      }
    }
  ],
  "PaymentConsultRequest": [
    {
      "name": "productCode",
      "type": {
        "kind": "enum",
        "name": "ProductCode"
      }
    },
    {
      "name": "paymentAmount",
      "type": {
        "kind": "object",
        "name": "Amount"
      }
    },
    {
      "name": "env",
      "type": {
        "kind": "object",
        "name": "Env"
      }
    },
    {
      "name": "settlementStrategy",
      "type": {
        "kind": "object",
        "name": "SettlementStrategy"
      }
    },
    {
      "name": "userRegion",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantRegion",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "allowedPaymentMethodRegions",
      "type": {
        "kind": "list",
        "of": {
          "kind": "text"
        }
      }
    },
    {
      "name": "allowedPaymentMethods",
      "type": {
        "kind": "list",
        "of": {
          "kind": "text"
        }
      }
    },
    {
      "name": "blockedPaymentMethods",
      "type": {
        "kind": "list",
        "of": {
          "kind": "text"
        }
      }
    },
    {
      "name": "paymentFactor",
      "type": {
        "kind": "object",
        "name": "PaymentFactor"
      }
    },
    {
      "name": "buyer",
      "type": {
        "kind": "object",
        "name": "Buyer"
      }
    },
    {
      "name": "merchantAccountId",
      "type": {
        "kind": "text"
      }
    }
  ],
  "CreatePaymentSessionRequest": [
    {
      "name": "productCode",
      "type": {
        "kind": "enum",
        "name": "ProductCode"
      }
    },
    {
      "name": "productScene",
      "type": {
        "kind": "enum",
        "name": "ProductScene"
      }
    },
    {
      "name": "paymentRequestId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "order",
      "type": {
        "kind": "object",
        "name": "Order"
      }
    },
    {
      "name": "paymentAmount",
      "type": {
        "kind": "object",
        "name": "Amount"
      }
    },
    {
      "name": "paymentMethod",
      "type": {
        "kind": "object",
        "name": "PaymentMethod"
      }
    },
    {
      "name": "paymentRedirectUrl",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentNotifyUrl",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentSessionExpiryTime",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentExpiryTime",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentFactor",
      "type": {
        "kind": "object",
        "name": "PaymentFactor"
      }
    },
    {
      "name": "settlementStrategy",
      "type": {
        "kind": "object",
        "name": "SettlementStrategy"
      }
    },
    {
      "name": "env",
      "type": {
        "kind": "object",
        "name": "Env"
      }
    },
    {
      "name": "userRegion",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantRegion",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "allowedPaymentMethodRegions",
      "type": {
        "kind": "list",
        "of": {
          "kind": "text"
        }
      }
    },
    {
      "name": "availablePaymentMethod",
      "type": {
        "kind": "object",
        "name": "AvailablePaymentMethod"
      }
    },
    {
      "name": "savedPaymentMethods",
      "type": {
        "kind": "list",
        "of": {
          "kind": "object",
          "name": "PaymentMethod"
        }
      }
    },
    {
      "name": "locale",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantAccountId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "metadata",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "customizedInfo",
      "type": {
        "kind": "object",
        "name": "CustomizedInfo"
      }
    }
  ],
  "AvailablePaymentMethod": [
    {
      "name": "paymentMethodTypeList",
      "type": {
        "kind": "list",
        "of": {
          "kind": "object",
          "name": "PaymentMethodTypeList"
        }
      }
    }
  ],
  "PaymentMethodTypeList": [
    {
      "name": "paymentMethodType",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "paymentMethodOrder",
      "type": {
        "kind": "integer"
      }
    }
  ],
  "CustomizedInfo": [
    {
      "name": "customizedField1",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "customizedField2",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "customizedField3",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "customizedField4",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "customizedField5",
      "type": {
        "kind": "text"
      }
    }
  ],
  "RetrievePaymentSessionRequest": [
    {
      "name": "paymentRequestId",
      "type": {
        "kind": "text"
      }
    }
  ],
  "AcceptDisputeRequest": [
    {
      "name": "disputeId",
      "type": {
        "kind": "text"
      }
    }
  ],
  "SupplyDefenseDocumentRequest": [
    {
      "name": "disputeId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "disputeEvidence",
      "type": {
        "kind": "text"
      }
    }
  ],
  "DownloadDisputeEvidenceRequest": [
    {
      "name": "disputeId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "disputeEvidenceType",
      "type": {
        "kind": "enum",
        "name": "DisputeEvidenceType"
      }
    }
  ],
  "AuthorizationConsultRequest": [
    {
      "name": "customerBelongsTo",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "authRedirectUrl",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "scopes",
      "type": {
        "kind": "list",
        "of": {
          "kind": "enum",
          "name": "Scope"
        }
      }
    },
    {
      "name": "authState",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "env",
      "type": {
        "kind": "object",
        "name": "AuthorizationConsultRequestEnv"
      }
    },
    {
      "name": "terminalType",
      "type": {
        "kind": "enum",
        "name": "TerminalType"
      }
    },
    {
      "name": "osType",
      "type": {
        "kind": "enum",
        "name": "OsType"
      }
    },
    {
      "name": "osVersion",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "authClientId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "authNotifyUrl",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantRegion",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantAccountId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "recurringPayment",
      "type": {
        "kind": "boolean"
      }
    },
    {
      "name": "authMetaData",
      "type": {
        "kind": "object",
        "name": "AuthMetaData"
      }
    },
    {
      "name": "amount",
      "type": {
        "kind": "object",
        "name": "Amount"
      }
    },
    {
      "name": "extendInfo",
      "type": {
        "kind": "text"
      }
    }
  ],
  "AuthorizationConsultRequestEnv": [
    {
      "name": "terminalType",
      "type": {
        "kind": "enum",
        "name": "TerminalType"
      }
    },
    {
      "name": "osType",
      "type": {
        "kind": "enum",
        "name": "OsType"
      }
    },
    {
      "name": "osVersion",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "userAgent",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "clientIp",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "deviceId",
      "type": {
        "kind": "text"
      }
    }
  ],
  "AuthMetaData": [
    {
      "name": "accountHolderName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "accountHolderCertNo",
      "type": {
        "kind": "text"
      }
    }
  ],
  "ApplyTokenRequest": [
    {
      "name": "grantType",
      "type": {
        "kind": "enum",
        "name": "GrantType"
      }
    },
    {
      "name": "customerBelongsTo",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "authCode",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "refreshToken",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantRegion",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantAccountId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "extendInfo",
      "type": {
        "kind": "text"
      }
    }
  ],
  "QueryRequest": [
    {
      "name": "accessToken",
      "type": {
        "kind": "text"
      }
    }
  ],
  "RevokeRequest": [
    {
      "name": "accessToken",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantAccountId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "extendInfo",
      "type": {
        "kind": "text"
      }
    }
  ],
  "RegistrationRequest": [
    {
      "name": "registrationRequestId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "productCodes",
      "type": {
        "kind": "list",
        "of": {
          "kind": "enum",
          "name": "ProductCode"
        }
      }
    },
    {
      "name": "merchantInfo",
      "type": {
        "kind": "object",
        "name": "MerchantInfo"
      }
    },
    {
      "name": "storeInfo",
      "type": {
        "kind": "object",
        "name": "StoreInfo"
      }
    },
    {
      "name": "registrationNotifyURL",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "passThroughInfo",
      "type": {
        "kind": "text"
      }
    }
  ],
  "MerchantInfo": [
    {
      "name": "referenceMerchantId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantDisplayName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "merchantMCC",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "logo",
      "type": {
        "kind": "object",
        "name": "Logo"
      }
    },
    {
      "name": "websites",
      "type": {
        "kind": "list",
        "of": {
          "kind": "object",
          "name": "Website"
        }
      }
    },
    {
      "name": "merchantAddress",
      "type": {
        "kind": "object",
        "name": "Address"
      }
    },
    {
      "name": "registrationDetail",
      "type": {
        "kind": "object",
        "name": "RegistrationDetail"
      }
    }
  ],
  "Logo": [
    {
      "name": "logoName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "logoUrl",
      "type": {
        "kind": "text"
      }
    }
  ],
  "Website": [
    {
      "name": "name",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "url",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "desc",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "type",
      "type": {
        "kind": "text"
      }
    }
  ],
  "RegistrationDetail": [
    {
      "name": "legalName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "registrationType",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "registrationNo",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "registrationAddress",
      "type": {
        "kind": "object",
        "name": "Address"
      }
    },
    {
      "name": "businessType",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "registrationEffectiveDate",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "registrationExpireDate",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "attachments",
      "type": {
        "kind": "list",
        "of": {
          "kind": "object",
          "name": "Attachment"
        }
      }
    },
    {
      "name": "contactInfo",
      "type": {
        "kind": "list",
        "of": {
          "kind": "object",
          "name": "ContactInfo"
        }
      }
    }
  ],
  "Attachment": [
    {
      "name": "attachmentType",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "attachmentName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "file",
      "type": {
        "kind": "text"
      }
    }
  ],
  "ContactInfo": [
    {
      "name": "contactType",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "contactNo",
      "type": {
        "kind": "text"
      }
    }
  ],
  "StoreInfo": [
    {
      "name": "referenceStoreId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "storeName",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "storeMCC",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "storeAddress",
      "type": {
        "kind": "object",
        "name": "Address"
      }
    },
    {
      "name": "storePhoneNo",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "contactInfo",
      "type": {
        "kind": "list",
        "of": {
          "kind": "object",
          "name": "ContactInfo"
        }
      }
    }
  ],
  "InquiryRegistrationStatusRequest": [
    {
      "name": "registrationRequestId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "referenceMerchantId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "referenceStoreId",
      "type": {
        "kind": "text"
      }
    }
  ],
  "InquiryRegistrationInfoRequest": [
    {
      "name": "referenceMerchantId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "referenceStoreId",
      "type": {
        "kind": "text"
      }
    }
  ],
  "InquiryBalanceRequest": [],
  "InquiryStatementsRequest": [
    {
      "name": "currency",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "fromDay",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "toDay",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "cursor",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "limit",
      "type": {
        "kind": "integer"
      }
    }
  ],
  "InquirySettlementsRequest": [
    {
      "name": "batchId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "currency",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "fromDay",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "toDay",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "cursor",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "limit",
      "type": {
        "kind": "integer"
      }
    }
  ],
  "InquiryOpenRecordsRequest": [
    {
      "name": "limit",
      "type": {
        "kind": "integer"
      }
    }
  ],
  "InquiryEventsRequest": [
    {
      "name": "cursor",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "limit",
      "type": {
        "kind": "integer"
      }
    },
    {
      "name": "follow",
      "type": {
        "kind": "boolean"
      }
    },
    {
      "name": "forwardUrl",
      "type": {
        "kind": "text"
      }
    }
  ],
  "InquiryNotificationsRequest": [
    {
      "name": "notificationId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "subjectId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "notificationKind",
      "type": {
        "kind": "enum",
        "name": "NotificationKind"
      }
    },
    {
      "name": "notificationStatus",
      "type": {
        "kind": "enum",
        "name": "NotificationStatus"
      }
    },
    {
      "name": "createdFrom",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "createdUntil",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "fromCursor",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "after",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "limit",
      "type": {
        "kind": "integer"
      }
    }
  ],
  "ResendNotificationsRequest": [
    {
      "name": "notificationId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "subjectId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "notificationKind",
      "type": {
        "kind": "enum",
        "name": "NotificationKind"
      }
    },
    {
      "name": "notificationStatus",
      "type": {
        "kind": "enum",
        "name": "NotificationStatus"
      }
    },
    {
      "name": "createdFrom",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "createdUntil",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "fromCursor",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "after",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "limit",
      "type": {
        "kind": "integer"
      }
    }
  ],
  "ChangeEndpointsRequest": [
    {
      "name": "notifyUrls",
      "type": {
        "kind": "list",
        "of": {
          "kind": "object",
          "name": "NotifyUrl"
        }
      }
    },
    {
      "name": "removeNotifyUrls",
      "type": {
        "kind": "list",
        "of": {
          "kind": "enum",
          "name": "RemoveNotifyUrl"
        }
      }
    },
    {
      "name": "pause",
      "type": {
        "kind": "list",
        "of": {
          "kind": "text"
        }
      }
    },
    {
      "name": "resume",
      "type": {
        "kind": "list",
        "of": {
          "kind": "text"
        }
      }
    }
  ],
  "NotifyUrl": [
    {
      "name": "notificationKind",
      "type": {
        "kind": "enum",
        "name": "NotificationKind"
      }
    },
    {
      "name": "url",
      "type": {
        "kind": "text"
      }
    }
  ],
  "ChangeBrandRequest": [
    {
      "name": "colour",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "logo",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "supportUrl",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "remove",
      "type": {
        "kind": "list",
        "of": {
          "kind": "enum",
          "name": "Remove"
        }
      }
    }
  ],
  "AdvanceClockRequest": [
    {
      "name": "turnRequestId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "toTime",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "bySeconds",
      "type": {
        "kind": "integer"
      }
    }
  ],
  "OrderFaultRequest": [
    {
      "name": "faultRequestId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "fault",
      "type": {
        "kind": "enum",
        "name": "Fault"
      }
    },
    {
      "name": "subjectId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "endpoint",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "count",
      "type": {
        "kind": "integer"
      }
    },
    {
      "name": "delaySeconds",
      "type": {
        "kind": "integer"
      }
    }
  ],
  "InquiryKeyUseRequest": [
    {
      "name": "days",
      "type": {
        "kind": "integer"
      }
    }
  ],
  "UseGatewayKeyRequest": [
    {
      "name": "keyVersion",
      "type": {
        "kind": "integer"
      }
    }
  ],
  "InquiryRequestsRequest": [
    {
      "name": "createdFrom",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "createdUntil",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "resultCode",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "requestId",
      "type": {
        "kind": "text"
      }
    },
    {
      "name": "limit",
      "type": {
        "kind": "integer"
      }
    }
  ]
};
