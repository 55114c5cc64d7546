import { Type, type TObject, type TProperties, type TSchema, type TString, type TUnsafe } from "typebox";
import { isEmail, isPlainName, toEmail } from "../people/person.ts";
import { merchantRoles, staffRoles, type Role } from "../../../server/src/people/role.ts";

/** `Body` is the schema of a request. Unknown fields are rejected. */
export function Body<Fields extends TProperties>(fields: Fields): TObject<Fields> {
  return Type.Object(fields, { additionalProperties: false });
}

export const EmptyObject = Body({});

/** An email address. The schema validates its normalised form, which is the form that accounts store. */
export const Email = Type.Refine(Type.String({ maxLength: 254 }), (text) => isEmail(toEmail(text)));
/** A name, which emails can contain: one line, without control characters and web addresses. */
export const Name = Type.Refine(
  Type.String({ minLength: 1, maxLength: 100, pattern: "^[^\\u0000-\\u001f\\u007f<>]+$" }),
  isPlainName,
);
export const Reason = Type.String({ minLength: 1, maxLength: 1000, pattern: "^[^\\u0000-\\u001f\\u007f]+$" });
export const Password = Type.String({ minLength: 1, maxLength: 256 });
export const Code = Type.String({ pattern: "^[0-9]{6}$" });
/** A token or an id that accounts created. */
export const TokenOrId = Type.String({ pattern: "^[A-Za-z0-9_-]{1,128}$" });
/** Authenticators choose their credential ids, up to one kilobyte. */
export const CredentialId = Type.String({ pattern: "^[A-Za-z0-9_-]{1,1400}$" });
export const Time = Type.String();
export const Environment = Type.Unsafe<"sandbox" | "live">({ type: "string", enum: ["sandbox", "live"] });
export const RoleName = Type.Unsafe<Role>({ type: "string", enum: [...merchantRoles, ...staffRoles] });
/** JSON that the passkey library parses and validates. */
export const Opaque: TSchema = Type.Object({}, { additionalProperties: true });

/** `OneOf` is the schema of an enumeration. */
export function OneOf<const Words extends readonly string[]>(words: Words): TUnsafe<Words[number]> {
  return Type.Unsafe<Words[number]>({ type: "string", enum: [...words] });
}

/** `MultilineText` is the schema of a text with several lines, which can be empty. */
export function MultilineText(lengthMax: number): TString {
  return Type.String({ maxLength: lengthMax, pattern: "^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f]*$" });
}
