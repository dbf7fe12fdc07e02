// What cadastre doctor and the page of admins say about the providers of the login and about passkeys; nothing if there
// are none.
import type { SQL } from "bun";
import { relyingPartyAt } from "../auth/relying_party.ts";
import { isSealedBy } from "../auth/sealed.ts";
import type { Config } from "../config.ts";
import { commandLine, settingCommand } from "../config_file.ts";
import { type Finding, ok, problem } from "./finding.ts";

export async function* signInFindings(sql: SQL, config: Config): AsyncGenerator<Finding> {
  const providers: Array<{ name: string; secret: string | null }> = await sql`
    select name, secret from identity_providers where is_enabled order by name`;
  yield* passkeys(sql, config);
  if (providers.length === 0) return;
  yield await secrets(sql, config, providers);
  yield await breakGlass(sql);
}

/** Groups that need a passkey, at an address where there can be none. */
async function* passkeys(sql: SQL, { publicUrl }: Config): AsyncGenerator<Finding> {
  const [stored] =
    await sql`select value from settings where name = 'passkey_groups' and value <> ''`;
  if (!stored) return;
  const names = stored.value.replaceAll(",", ", ");
  const party = publicUrl && relyingPartyAt({ origin: publicUrl.origin, isOriginSet: true });
  if (party) return yield ok(`Passkeys are needed by ${names}, and are made for ${party.id}`);
  yield problem(
    `Passkeys are needed by ${names}, but work only with PUBLIC_URL as an https address with a host name: members who ` +
      "have none cannot log in",
    settingCommand("PUBLIC_URL", "https://cadastre.example.org"),
  );
}

async function secrets(
  sql: SQL,
  config: Config,
  providers: Array<{ name: string; secret: string | null }>,
): Promise<Finding> {
  const [stored] = await sql`select value from settings where name = 'secret_key'`;
  const key = config.secretKey ?? stored?.value ?? "";
  const unreadable = providers.filter(({ secret }) => secret !== null && !isSealedBy(key, secret));
  if (unreadable.length === 0) return ok("The secrets of the providers of the login can be read");
  const names = unreadable.map(({ name }) => name).join(", ");
  return problem(
    `The secret of ${names} was encrypted with another SECRET_KEY, so nobody can log in by it: enter the secret again ` +
      "at /admin/sign-in, or start with the earlier SECRET_KEY",
    commandLine("serve"),
  );
}

async function breakGlass(sql: SQL): Promise<Finding> {
  const [found] = await sql`
    select count(*)::int as number from users
    where is_break_glass and deactivated_at is null and password_hash is not null and 'admin' = any(groups)`;
  if (found.number > 0) return ok(`Break-glass accounts: ${found.number}`);
  return problem(
    "No break-glass account: if the providers of the login fail, no admin may be able to log in; mark an admin who has " +
      "a password",
    commandLine("user break-glass NAME"),
  );
}
