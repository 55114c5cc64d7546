import { after } from "node:test";
import { asSuperuser, rolePassword, type TestDatabase } from "./test-database.ts";

/**
 * People with their own logins to a test's database, each with exactly the privileges of one role. The logins are
 * dropped with the test.
 */
export async function createStaffLogins<Person extends string>(
  { ownerUrl }: TestDatabase,
  people: Readonly<Record<Person, "admin" | "operator" | "finance" | "support">>,
): Promise<{ loginOf(person: Person): string; urlOf(person: Person): string }> {
  const database = new URL(ownerUrl).pathname.slice(1);
  const loginOf = (person: Person): string => `${database}_${person}`;
  const names = Object.keys(people) as Person[];
  for (const person of names)
    await asSuperuser(
      `create role ${loginOf(person)} login password '${rolePassword}' in role tollgate_${people[person]};
       grant connect on database ${database} to ${loginOf(person)}`,
    );
  after(() => asSuperuser(`drop role ${names.map(loginOf).join(", ")}`));
  const urlOf = (person: Person): string => {
    const url = new URL(ownerUrl);
    url.username = loginOf(person);
    return url.href;
  };
  return { loginOf, urlOf };
}
