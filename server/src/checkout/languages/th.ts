import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const th: Texts = {
  // Frame of every page
  sandbox: "Sandbox: ไม่มีการเคลื่อนไหวของเงินจริง",
  language: "ภาษา",
  defaultMerchantName: "ร้านค้า",
  defaultMethodName: "วอลเล็ตของคุณ",
  connectionLost: "ไม่มีการเชื่อมต่อ เรากำลังพยายามเชื่อมต่อใหม่",

  // Summary of the payment
  summaryLabel: "รายการที่ชำระ",
  goods: "คำสั่งซื้อของคุณ",
  moreGoods: { other: "และสินค้าอีก {count} รายการ" },
  shipping: "ค่าจัดส่ง",
  orderNumber: "หมายเลขคำสั่งซื้อ",
  reference: "หมายเลขอ้างอิง",
  paidAt: "ชำระเมื่อ",
  paidWith: "ชำระด้วย",
  copy: "คัดลอก",
  copied: "คัดลอกแล้ว",
  print: "พิมพ์ใบเสร็จ",
  help: "ขอความช่วยเหลือจาก {merchant}",

  // Choosing
  choosing: "เลือกวิธีชำระเงิน",
  chooseBy: "โปรดเลือกภายใน {time}",
  methodsLabel: "วิธีชำระเงิน",
  noMethodAvailable: "ขณะนี้ไม่มีวิธีชำระเงินที่ใช้ได้ หน้านี้จะลองใหม่ต่อไปโดยอัตโนมัติ",
  notAvailable: "ใช้ไม่ได้ในขณะนี้",
  search: "ค้นหา",
  noSearchResult: "ไม่พบวิธีชำระเงินชื่อนี้",
  otherRegions: "ประเทศและภูมิภาคอื่น",

  // Paying
  preparing: "กำลังเตรียมการชำระเงินของคุณ",
  preparingText: "โปรดรอสักครู่",
  payWith: "ชำระด้วย {wallet}",
  payWithHere: "ชำระด้วย {wallet} บนอุปกรณ์นี้",
  payBy: "โปรดชำระภายใน {time}",
  scan: "เปิด {wallet} แตะ “สแกน” แล้วหันกล้องไปที่โค้ดนี้",
  otherDevice: "ชำระด้วยอุปกรณ์อื่น",
  or: "หรือ",
  qrCodeLabel: "คิวอาร์โค้ดสำหรับการชำระเงินนี้",
  openApp: "เปิด {wallet} มีรายการชำระเงินรอคุณอยู่",
  minutesLeft: { other: "เหลือเวลา {count} นาที" },
  deadlinePassed: "หมดเวลาชำระเงินแล้ว",

  // Waiting for the payment provider
  change: "จ่ายด้วยวิธีอื่น",
  changing: "กำลังยกเลิกตัวเลือกของคุณ",
  changingText: "เรากำลังขอให้ {wallet} ปิดการชำระเงินนี้ โปรดอย่าจ่ายที่นั่นในตอนนี้",
  closing: "กำลังตรวจสอบการชำระเงินของคุณ",
  closingCancelled: "{merchant} กำลังยกเลิกการชำระเงินนี้",
  closingText: "เรากำลังสอบถาม {wallet} ว่าคุณชำระเงินแล้วหรือไม่ โปรดอย่าชำระเงินในตอนนี้",
  pending: "กำลังยืนยันการชำระเงินของคุณ",
  pendingText: "คุณดำเนินการครบแล้ว ไม่จำเป็นต้องชำระเงินอีก",

  // Final states
  paid: "ชำระเงินแล้ว",
  paidText: "การชำระเงินของคุณให้ {merchant} เสร็จสมบูรณ์แล้ว",
  authorized: "กันวงเงินแล้ว",
  authorizedText: "ยอดเงินนี้ถูกกันไว้สำหรับ {merchant} และจะเรียกเก็บในภายหลัง",
  refunded: "คืนเงิน {amount} ให้คุณแล้วเมื่อ {date}",
  refundPending: "กำลังคืนเงิน {amount} ให้คุณ",
  failed: "ชำระเงินไม่สำเร็จ",
  notCharged: "ไม่มีการเรียกเก็บเงินจากคุณ",
  expired: "หมดเวลาแล้ว",
  expiredText: "ไม่มีการชำระเงินภายในเวลาที่กำหนด",
  cancelled: "ยกเลิกแล้ว",
  cancelledText: "การชำระเงินนี้ถูกยกเลิกโดย {merchant}",
  refundFollows: "เงินที่คุณชำระจะคืนเข้าวอลเล็ตของคุณ",
  startAgain: "หากต้องการชำระด้วยวิธีอื่น โปรดกลับไปที่ {merchant} แล้วเริ่มใหม่",
  back: "กลับไปที่ {merchant}",
  backWithoutPaying: "กลับไปที่ {merchant} โดยไม่ชำระเงิน",
  returning: { other: "กลับในอีก {count} วินาที" },
  stayOnPage: "อยู่ที่หน้านี้",

  // Reasons of a failure
  refused: "การชำระเงินไม่ได้รับการอนุมัติ",
  balanceTooLow: "ยอดเงินของคุณไม่เพียงพอ",
  overLimit: "จำนวนเงินเกินวงเงินวอลเล็ตของคุณ",
  tooOften: "คุณชำระเงินครบจำนวนครั้งที่วอลเล็ตอนุญาตในขณะนี้แล้ว",
  accountUnknown: "วอลเล็ตไม่พบบัญชีของคุณ",
  accountUnusable: "บัญชีวอลเล็ตของคุณใช้งานไม่ได้ในขณะนี้",
  accountUnverified: "บัญชีของคุณต้องผ่านการยืนยันจากวอลเล็ตก่อน",
  providerUnsureOfYou: "วอลเล็ตของคุณไม่สามารถยืนยันได้ว่าเป็นคุณ",
  bankUnsureOfYou: "ธนาคารของคุณไม่สามารถยืนยันได้ว่าเป็นคุณ",
  currencyNotTaken: "วอลเล็ตของคุณไม่รองรับสกุลเงินนี้",
  cardNotTaken: "บัตรของคุณใช้ที่นี่ไม่ได้",
  cardNumberWrong: "หมายเลขบัตรของคุณไม่ถูกต้อง",
  cardExpiryWrong: "วันหมดอายุของบัตรไม่ถูกต้อง",
  bankRefused: "ธนาคารของคุณไม่อนุมัติการชำระเงิน",

  // Errors
  missing: "ไม่พบการชำระเงินนี้",
  missingText: "ลิงก์นี้ไม่สมบูรณ์หรือถูกแก้ไข โปรดกลับไปที่ร้านค้าแล้วเริ่มใหม่",
  fault: "โปรดรอสักครู่",
  faultText: "ขณะนี้เราแสดงการชำระเงินนี้ไม่ได้ หากคุณชำระเงินแล้ว โปรดอย่าชำระซ้ำ หน้านี้จะลองใหม่ต่อไปโดยอัตโนมัติ",
};
