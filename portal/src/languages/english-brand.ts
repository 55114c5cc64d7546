/** Texts of the page that sets the brand of the checkout page. */
export const englishBrand = {
  title: "Checkout page",
  lede: "The appearance of the page on which your buyers pay. The sandbox and live have separate settings.",
  colour: "Colour",
  colourLede: "Colour of buttons, and in light mode also of links. The text on buttons is white.",
  pick: "Choose a colour",
  code: "Or type its code",
  remove: "Remove",
  removeColour: "Remove the colour",
  removeLogo: "Remove the logo",
  removeSupport: "Remove the support link",
  noColour: "No colour is set. Buttons are blue.",
  contrast: {
    readable:
      "White text is readable on this colour. Its contrast is {{contrast}}; the minimum is {{least}}.",
    faint:
      "White text is not readable on this colour. Its contrast is {{contrast}}; the minimum is {{least}}. Choose a darker colour.",
    form: "Write the colour as # and six hexadecimal digits, such as #0b6b3e.",
  },
  logo: "Logo",
  logoLede:
    "PNG, JPEG or WebP, at most 24 KiB. The page shows the logo up to 40 pixels high and 160 pixels wide, on light and dark backgrounds.",
  logoNow: "Your logo",
  drop: "Drop an image here, or choose a file.",
  choose: "Choose an image",
  logoFault: {
    large:
      "{{name}} has {{bytes}} bytes; the maximum is {{most}}. Reduce the image size, or save the image as WebP.",
    kind: "{{name}} is not a PNG, JPEG or WebP file. Save the image in one of these formats.",
    broken: "{{name}} cannot be displayed because the file is damaged or incomplete. Save the image again.",
  },
  support: "Support link",
  supportLede:
    "A page where buyers get help with an order. The checkout page shows the link below the payment.",
  supportAddress: "Address of your support page",
  supportFault: "Type a complete address that begins with https://.",
  save: "Save",
  discard: "Discard the changes",
  unsaved: "You have unsaved changes.",
  saved: "Saved. Buyers see the change the next time they open the page.",
  preview: "Preview",
  previewMeans:
    "Header and button of the page. The buyer's device selects light or dark mode. On a large screen with a QR code, the button is only outlined.",
  themes: { light: "In light mode", dark: "In dark mode" },
  payButton: "Pay with your wallet",
  help: "Get help from {{name}}",
  none: "Not set",
  isSet: "Set, see the preview",
  mayNot:
    "Your role can view this page but cannot change it. Owners and admins can change it; in the sandbox, developers can too.",
} as const;
