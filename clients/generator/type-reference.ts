/** The type of a field, in terms that every language has. */
export type TypeReference =
  | { readonly kind: "text" | "integer" | "number" | "boolean" | "anything" }
  | { readonly kind: "object"; readonly name: string }
  | { readonly kind: "enum"; readonly name: string }
  | { readonly kind: "list"; readonly of: TypeReference }
  | { readonly kind: "map"; readonly of: TypeReference };
