// Sign-in by LemonLDAP::NG. Only with all checks: it needs fifty packages and some seconds to start.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { seal } from "../../src/auth/sealed.ts";
import { browser } from "../support/browser.ts";
import {
  DOCTOR,
  hasLemonldap,
  LEMONLDAP_CLIENT,
  lemonldap,
  logInThere,
} from "../support/lemonldap.ts";
import { service, stranger } from "../support/mod.ts";
import { aProvider, oidcServer } from "../support/oidc.ts";

setDefaultTimeout(180_000);

describe.skipIf(!hasLemonldap)("LemonLDAP::NG", () => {
  test("lets its people log in, with their groups, and out", async () => {
    const issuer = await lemonldap();
    await oidcServer();
    const settings = { issuer, client_id: LEMONLDAP_CLIENT.id, needs_group: true };
    await aProvider({ settings, mappings: { timelords: "network", nobody: "admin" } });
    const { sql, origin } = await service();
    await sql`update identity_providers set secret = ${seal(LEMONLDAP_CLIENT.secret, "provider")}`;
    const own = await browser(stranger);
    const start = await own.get("/user/login/with/lab?next=/network/hosts");
    const back = await logInThere(start.headers.get("location") ?? "", DOCTOR);
    expect(back).toStartWith(`${origin}/user/login/with/lab/callback?`);
    const { status, headers } = await own.get(back.slice(origin.length));
    expect([status, headers.get("location")]).toEqual([303, "/network/hosts"]);
    const [made] = await sql`
      select username, users.groups, identities.groups as outer, authority from identities
      join users on users.id = user_id`;
    expect(made).toMatchObject({ username: DOCTOR, groups: ["network"], authority: issuer });
    expect(made.outer).toEqual(expect.arrayContaining(["everybody", "timelords"]));
    const again = await own.get(back.slice(origin.length));
    expect(again.status).toBe(401);
    const out = await own.get("/user/login/with/lab/logout");
    expect(out.headers.get("location")).toStartWith(`${issuer}/oauth2/logout?`);
  });
});
