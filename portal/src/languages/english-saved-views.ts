/** The sentences of saved views. */
export const englishSavedViews = {
  title: "Your saved views",
  save: "+ Save this view",
  saveTitle: "Save this view",
  lede: "The page with its filters, to be found in the menu and in the search. Only you see it.",
  name: "Name",
  nameHint: "A name that you have already gets this view instead.",
  do: "Save",
  remove: "Forget {{name}}",
} as const;
