/** Texts of saved views. */
export const englishSavedViews = {
  title: "Your saved views",
  save: "+ Save this view",
  saveTitle: "Save this view",
  lede: "Saves this page with its filters. The view appears in the menu and in the search. Only you can see it.",
  name: "Name",
  nameHint: "If a view with this name exists, it is replaced.",
  do: "Save",
  remove: "Delete {{name}}",
} as const;
