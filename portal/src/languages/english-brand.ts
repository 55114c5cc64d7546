/** The sentences of the page that sets how checkout pages look. */
export const englishBrand = {
  title: "Checkout page",
  lede: "How the page looks on which your buyers pay. The sandbox and live have a look each.",
  colour: "Colour",
  colourLede: "Buttons have it, and in light colours links as well. Their text is white.",
  pick: "Pick",
  code: "Or type it",
  remove: "Remove",
  removeColour: "Remove the colour",
  removeLogo: "Remove the logo",
  removeSupport: "Remove the support link",
  noColour: "No colour is set: buttons are blue.",
  contrast: {
    readable: "White text on it is readable: its contrast is {{contrast}}, and {{least}} is the least.",
    faint:
      "White text on it is too faint: its contrast is {{contrast}}, and {{least}} is the least. Take a darker colour.",
    form: "A colour is written as # and six digits from 0 to f, such as #0b6b3e.",
  },
  logo: "Logo",
  logoLede:
    "PNG, JPEG or WebP, at most 24 KiB. It is shown up to 40 pixels high and 160 wide, on light and on dark.",
  logoNow: "Your logo",
  drop: "Drop a picture here, or choose one.",
  choose: "Choose a picture",
  logoFault: {
    large: "{{name}} has {{bytes}} bytes, and {{most}} is the most. Make it smaller, or save it as WebP.",
    kind: "{{name}} is no PNG, JPEG or WebP, whatever it is called. Save it as one of these.",
    broken: "{{name}} cannot be drawn: the file is damaged or incomplete. Save it anew.",
  },
  support: "Support link",
  supportLede: "Where your buyers get help with an order. It stands below the payment.",
  supportAddress: "Address of your support",
  supportFault: "A whole address is needed that begins with https://.",
  save: "Save",
  discard: "Discard the changes",
  unsaved: "Not saved yet.",
  saved: "Saved. Buyers see it from the next time they open the page.",
  preview: "Preview",
  previewMeans:
    "The head of the page and its button. The buyer's device decides between light and dark; on a large screen with a QR code the button is only outlined.",
  themes: { light: "In light colours", dark: "In dark colours" },
  payButton: "Pay with your wallet",
  help: "Get help from {{name}}",
  none: "Not set",
  isSet: "Set, see the preview",
  mayNot:
    "Your role sees how the checkout page looks, and does not change it. Owners and admins do, and in the sandbox developers as well.",
} as const;
