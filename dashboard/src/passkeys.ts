// Passkeys: the gateway's options go to the browser, and its credential back, both as JSON with bytes in base64url.

import { Refusal } from "./gateway";

type Json = Record<string, any>;

/** The person has closed the browser's dialog, or there is no key. */
async function prompted(credential: Promise<Credential | null>): Promise<PublicKeyCredential> {
  const given = await credential.catch(() => null);
  if (!given) throw new Refusal("refused", "key-cancelled", "");
  return given as PublicKeyCredential;
}

const bytes = (text: string) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

const text = (buffer: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

const described = (list: Json[] = []) => list.map((one) => ({ ...one, id: bytes(one.id) })) as unknown as PublicKeyCredentialDescriptor[];

/** Whether this browser has passkeys. */
export const hasPasskeys = () => typeof PublicKeyCredential === "function";

/** Makes a key. */
export async function createKey(options: Json): Promise<Json> {
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: described(options.excludeCredentials),
  } as unknown as PublicKeyCredentialCreationOptions;
  const made = await prompted(navigator.credentials.create({ publicKey }));
  const response = made.response as AuthenticatorAttestationResponse;
  return {
    ...common(made),
    response: {
      clientDataJSON: text(response.clientDataJSON),
      attestationObject: text(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  };
}

/** Signs a challenge with a key. */
export async function signWithKey(options: Json): Promise<Json> {
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    allowCredentials: described(options.allowCredentials),
  } as unknown as PublicKeyCredentialRequestOptions;
  const given = await prompted(navigator.credentials.get({ publicKey }));
  const response = given.response as AuthenticatorAssertionResponse;
  return {
    ...common(given),
    response: {
      clientDataJSON: text(response.clientDataJSON),
      authenticatorData: text(response.authenticatorData),
      signature: text(response.signature),
      userHandle: response.userHandle ? text(response.userHandle) : undefined,
    },
  };
}

function common(credential: PublicKeyCredential): Json {
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
  };
}
