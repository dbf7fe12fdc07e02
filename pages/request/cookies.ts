import { isSecure } from "../../src/http/request_context.ts";
import { publicId, readPublicId } from "../../src/input/change_ids.ts";
import { LARGEST_COOKIE, PASSKEY_MINUTES, SECOND_STEP_MINUTES } from "../../src/input/limits.ts";
import { decoded } from "../../src/input/text.ts";
import { DENSITIES, type Density, type Notice, THEMES, type Theme } from "./frame.ts";

const SESSION = /^[A-Za-z0-9_-]{43}$/;

/** The session's secret, if exactly one well-formed cookie of that name was sent. */
export function sessionOf(request: Request): string | undefined {
  const [value, ...others] = values(request, "session");
  return value && others.length === 0 && SESSION.test(value) ? value : undefined;
}

export function themeOf(request: Request): Theme {
  const [value] = values(request, "theme");
  return THEMES.find((theme) => theme === value) ?? "auto";
}

export function densityOf(request: Request): Density {
  const [value] = values(request, "density");
  return DENSITIES.find((density) => density === value) ?? "comfortable";
}

/** The message that the previous response left, shown once. */
export function noticeOf(request: Request): Notice | undefined {
  const [value] = values(request, "notice");
  const [words = "", id = ""] = value?.split("&undo=") ?? [];
  const text = decoded(words)?.slice(0, 300);
  if (!text) return undefined;
  const undo = readPublicId(id);
  return undo === undefined ? { text } : { text, undo };
}

export function setSession(request: Request, secret: string): string {
  return cookie(request, `session=${secret}; HttpOnly; Max-Age=43200`);
}

export function clearSessionCookie(request: Request): string {
  return cookie(request, "session=; HttpOnly; Max-Age=0");
}

/** What a sign-in by a provider has to remember until the provider redirects back. */
export function signInOf(request: Request): string | undefined {
  const [value] = values(request, "sign_in");
  return value;
}

export function setSignIn(request: Request, sealed: string): string {
  return cookie(request, `sign_in=${sealed}; HttpOnly; Max-Age=900`);
}

export function clearSignIn(request: Request): string {
  return cookie(request, "sign_in=; HttpOnly; Max-Age=0");
}

/** The challenge that a passkey has to answer. */
export function challengeOf(request: Request): string | undefined {
  const [value] = values(request, "passkey");
  return value;
}

export function setChallenge(request: Request, sealed: string): string {
  return cookie(request, `passkey=${sealed}; HttpOnly; Max-Age=${PASSKEY_MINUTES * 60}`);
}

/** A login that waits for its second step. */
export function secondStepOf(request: Request): string | undefined {
  const [value] = values(request, "second_step");
  return value;
}

export function setSecondStep(request: Request, sealed: string): string {
  return cookie(request, `second_step=${sealed}; HttpOnly; Max-Age=${SECOND_STEP_MINUTES * 60}`);
}

export function clearSecondStep(request: Request): string {
  return cookie(request, "second_step=; HttpOnly; Max-Age=0");
}

export function setTheme(request: Request, theme: Theme): string {
  return cookie(request, `theme=${theme}; Max-Age=31536000`);
}

export function setDensity(request: Request, density: Density): string {
  return cookie(request, `density=${density}; Max-Age=31536000`);
}

export function setNotice(request: Request, { text, undo }: Notice): string {
  const value = `${encodeURIComponent(text)}${undo ? `&undo=${publicId(undo)}` : ""}`;
  return cookie(request, `notice=${value}; HttpOnly; Max-Age=30`);
}

export function endNotice(request: Request): string {
  return cookie(request, "notice=; HttpOnly; Max-Age=0");
}

function cookie(request: Request, pair: string): string {
  return `${pair}; Path=/; SameSite=Lax${isSecure(request) ? "; Secure" : ""}`;
}

function values(request: Request, name: string): string[] {
  const header = request.headers.get("cookie") ?? "";
  if (header.length > LARGEST_COOKIE) return [];
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
