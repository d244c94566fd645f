// The paths of accounts (docs/accounts.md, docs/second-factors.md) as functions. Each sign-in asks for the cookie.

import { GATEWAY, send } from "./gateway";
import { createKey, signWithKey } from "./passkeys";
import { endLink, expectLink } from "./link";
import { enter, sendSignedIn, type SignInAnswer } from "./session";

const signIn = async (path: string, body: object) => (await send(path, { body: { ...body, cookie: true } })) as SignInAnswer;

export const signInWithPassword = (email: string, password: string) => signIn("/v1/signin/email-password", { email, password });

/** Where links of mails lead back. */
const here = () => `${location.origin}${location.pathname}`;

/** The names of the providers that people may sign in with. */
export const PROVIDERS = document.querySelector<HTMLMetaElement>('meta[name="providers"]')?.content.split(" ").filter(Boolean) ?? [];

/** Where a sign-in at a provider begins. It leads back as the link of a mail does. */
export const providerAddress = (name: string) => `${GATEWAY}/v1/signin/provider/${encodeURIComponent(name)}?${new URLSearchParams({ redirectTo: here() })}`;

export async function mailLink(email: string): Promise<void> {
  await send("/v1/signin/passwordless/email", { body: { email, options: { redirectTo: here() } } });
  expectLink();
}

export const mailCode = (email: string) => send("/v1/signin/otp/email", { body: { email } });

export const signInWithCode = (email: string, otp: string) => signIn("/v1/signin/otp/email/verify", { email, otp });

export async function mailReset(email: string): Promise<void> {
  await send("/v1/user/password/reset", { body: { email, options: { redirectTo: here() } } });
  expectLink();
}

export const resetPassword = (ticket: string, newPassword: string) => send("/v1/user/password", { body: { ticket, newPassword } });

/** Shows a code of an app, or a recovery code. */
export const signInWithSecondFactor = (ticket: string, otp: string) => signIn("/v1/signin/mfa/totp", { ticket, otp });

export async function signInWithSecondKey(ticket: string): Promise<SignInAnswer> {
  const options = (await send("/v1/signin/mfa/webauthn", { body: { ticket } })) as object;
  return signIn("/v1/signin/mfa/webauthn/verify", { ticket, credential: await signWithKey(options) });
}

export async function signInWithPasskey(): Promise<SignInAnswer> {
  const options = (await send("/v1/signin/webauthn", { body: {} })) as object;
  return signIn("/v1/signin/webauthn/verify", { credential: await signWithKey(options) });
}

/** Exchanges the refresh token that a mail's link leads back with for a session with a cookie. */
export async function signInWithLink(refreshToken: string): Promise<void> {
  const session = (await send("/v1/token", { body: { refreshToken, cookie: true } })) as Parameters<typeof enter>[0];
  endLink();
  enter(session);
}

export interface AccountFacts {
  activeMfaType: string | null;
  emailVerified: boolean;
}

export const ownAccount = async () => (await sendSignedIn("/v1/user")) as AccountFacts;

export const setPassword = (newPassword: string) => sendSignedIn("/v1/user/password", { body: { newPassword } });

export const changeEmail = (newEmail: string) => sendSignedIn("/v1/user/email/change", { body: { newEmail, options: { redirectTo: here() } } });

export interface OpenSession {
  id: string;
  createdAt: string;
  lastUsedAt: string;
  /** How the person signed in; null where a personal access token did. */
  methods: string[] | null;
  address: string | null;
  userAgent: string | null;
  isCurrent: boolean;
}

export const openSessions = async () => (await sendSignedIn("/v1/user/sessions")) as OpenSession[];

export const endSession = (id: string) => sendSignedIn("/v1/user/sessions/end", { body: { id } });

export const endOtherSessions = () => sendSignedIn("/v1/user/sessions/end", { body: { others: true } });

export const newTotp = async () => (await sendSignedIn("/v1/mfa/totp/generate")) as { imageUrl: string; totpSecret: string };

export const turnOnTotp = (code: string) => sendSignedIn("/v1/user/mfa", { body: { activeMfaType: "totp", code } });

export const turnOffSecondFactor = () => sendSignedIn("/v1/user/mfa", { body: { activeMfaType: "" } });

export const newRecoveryCodes = async () => ((await sendSignedIn("/v1/user/mfa/recovery-codes", { body: {} })) as { recoveryCodes: string[] }).recoveryCodes;

export interface SecurityKey {
  id: string;
  nickname: string | null;
  createdAt: string;
  lastUsedAt: string | null;
}

export async function securityKeys(): Promise<SecurityKey[]> {
  const answer = (await sendSignedIn("/v1/user/webauthn")) as SecurityKey[] | { keys: SecurityKey[] };
  return Array.isArray(answer) ? answer : answer.keys;
}

export async function addKey(nickname: string): Promise<void> {
  const options = (await sendSignedIn("/v1/user/webauthn/add", { body: {} })) as object;
  await sendSignedIn("/v1/user/webauthn/verify", { body: { credential: await createKey(options), nickname } });
}

export const removeKey = (id: string) => sendSignedIn("/v1/user/webauthn/remove", { body: { id } });

/** How the person may show a factor again. */
export const elevationMethods = async () => ((await sendSignedIn("/v1/elevate")) as { methods: string[] }).methods;

export const mailElevationCode = () => sendSignedIn("/v1/elevate/otp/email", { body: {} });

async function elevated(path: string, body: object) {
  const { session } = (await sendSignedIn(path, { body: { ...body, cookie: true } })) as SignInAnswer;
  if (session) enter(session);
}

export const elevateWithCode = (otp: string) => elevated("/v1/elevate/totp", { otp });

export const elevateWithMail = (otp: string) => elevated("/v1/elevate/otp/email/verify", { otp });

export async function elevateWithKey(): Promise<void> {
  const options = (await sendSignedIn("/v1/elevate/webauthn", { body: {} })) as object;
  await elevated("/v1/elevate/webauthn/verify", { credential: await signWithKey(options) });
}
