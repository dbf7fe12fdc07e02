// LemonLDAP::NG, a provider of OpenID Connect from Debian, as a process of its own.
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../tools/free_port.ts";
import { allChecks } from "./checks.ts";
import { service } from "./service.ts";
import { onTeardown } from "./teardown.ts";

/** Its settings are readable to root only; it needs fifty packages and 5 s to start. */
export const hasLemonldap = allChecks && process.getuid?.() === 0;

/** It does not decode secrets that are sent by Basic, as the standard wants it: only letters and digits work. */
export const LEMONLDAP_CLIENT = { id: "cadastre", secret: "theClientSecretOfLemonLdap" };
/** The people of its demonstration have their name as password. */
export const DOCTOR = "dwho";

const PACKAGE = "/var/lib/lemonldap-ng/conf/lmConf-1.json";

/** The issuer. */
export async function lemonldap(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-lemonldap-"));
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  for (const name of ["conf", "sessions/lock", "psessions/lock", "cache", "lib/Image"]) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const { origin } = await service();
  const at = (name: string) => join(folder, name);
  await Bun.write(at("conf/lmConf-1.json"), JSON.stringify(configuration(folder, issuer, origin)));
  await Bun.write(at("lemonldap-ng.ini"), settings(folder));
  await Bun.write(at("app.psgi"), application(at("lemonldap-ng.ini")));
  // It loads the library of images for captchas, which are not used.
  await Bun.write(at("lib/Image/Magick.pm"), "package Image::Magick;\n1;\n");
  const server = Bun.spawn(
    ["starman", "--workers", "1", "--port", String(port), "--host", "127.0.0.1", at("app.psgi")],
    {
      env: { ...process.env, PERL5LIB: at("lib") },
      stdio: ["ignore", "ignore", Bun.file(at("log"))],
    },
  );
  onTeardown(async () => {
    server.kill("SIGTERM");
    await server.exited;
    rmSync(folder, { recursive: true, force: true });
  });
  for (let attempt = 0; !(await responds(issuer)); attempt += 1) {
    if (attempt === 300) {
      throw new Error(
        `LemonLDAP::NG does not respond: ${readFileSync(at("log"), "utf8").slice(0, 2000)}`,
      );
    }
    await Bun.sleep(200);
  }
  return issuer;
}

async function responds(issuer: string): Promise<boolean> {
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`).catch(() => undefined);
  return answer?.ok ?? false;
}

function application(ini: string): string {
  return `use Lemonldap::NG::Portal::Main;
Lemonldap::NG::Portal::Main->run({ configStorage => { confFile => '${ini}' } });
`;
}

function settings(folder: string): string {
  return `[all]
logLevel = error
[configuration]
type = File
dirName = ${folder}/conf
[portal]
staticPrefix = /static
templateDir = /usr/share/lemonldap-ng/portal/templates
languages = en
`;
}

function configuration(folder: string, issuer: string, origin: string): object {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const storage = (name: string) => ({
    Directory: join(folder, name),
    LockDirectory: join(folder, name, "lock"),
  });
  return {
    ...JSON.parse(readFileSync(PACKAGE, "utf8")),
    domain: "localhost",
    portal: `${issuer}/`,
    securedCookie: 0,
    globalStorage: "Apache::Session::File",
    globalStorageOptions: storage("sessions"),
    persistentStorage: "Apache::Session::File",
    persistentStorageOptions: storage("psessions"),
    localSessionStorage: "Cache::FileCache",
    localSessionStorageOptions: { cache_root: join(folder, "cache"), namespace: "sessions" },
    issuerDBOpenIDConnectActivation: 1,
    issuerDBOpenIDConnectPath: "^/oauth2/",
    oidcServiceMetaDataIssuer: issuer,
    oidcServicePrivateKeySig: privateKey,
    oidcServicePublicKeySig: publicKey,
    oidcServiceKeyIdSig: "tests",
    oidcServiceAllowAuthorizationCodeFlow: 1,
    oidcRPMetaDataOptions: { tests: clientAt(origin) },
    oidcRPMetaDataExportedVars: {
      tests: { name: "cn", preferred_username: "uid", email: "mail", groups: "groups" },
    },
    oidcRPMetaDataOptionsExtraClaims: { tests: { profile: "name preferred_username groups" } },
    groups: { timelords: `$uid eq '${DOCTOR}'`, everybody: "1", nobody: "0" },
    captcha_mail_enabled: 0,
    captcha_register_enabled: 0,
    registerDB: "Null",
    passwordDB: "Null",
    portalDisplayResetPassword: 0,
    requireToken: 0,
  };
}

function clientAt(origin: string) {
  return {
    oidcRPMetaDataOptionsClientID: LEMONLDAP_CLIENT.id,
    oidcRPMetaDataOptionsClientSecret: LEMONLDAP_CLIENT.secret,
    oidcRPMetaDataOptionsRedirectUris: `${origin}/user/login/with/lab/callback`,
    oidcRPMetaDataOptionsPostLogoutRedirectUris: `${origin}/user/login`,
    oidcRPMetaDataOptionsIDTokenSignAlg: "RS256",
    oidcRPMetaDataOptionsBypassConsent: 1,
    oidcRPMetaDataOptionsRequirePKCE: 1,
    oidcRPMetaDataOptionsUserIDAttr: "uid",
  };
}

/** Logs in at the page to which the browser was redirected; returns where it is redirected back to. */
export async function logInThere(page: string, name: string): Promise<string> {
  const body = new URLSearchParams({ user: name, password: name });
  const shown = await fetch(page);
  const cookie = shown.headers.getSetCookie().map((line) => line.split(";")[0]);
  const answer = await fetch(page, {
    method: "POST",
    body,
    redirect: "manual",
    headers: { cookie: cookie.join("; ") },
  });
  const location = answer.headers.get("location");
  if (!location) throw new Error(`LemonLDAP::NG answered ${answer.status}: ${await answer.text()}`);
  return location;
}
