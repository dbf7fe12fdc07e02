// Why a connection failed, in our words: libraries name the same failure by different codes and sentences.

const REASONS: Record<string, string> = {
  ConnectionRefused: "The server refuses connections",
  ECONNREFUSED: "The server refuses connections",
  ConnectionClosed: "The server closed the connection",
  ECONNRESET: "The server closed the connection",
  ETIMEDOUT: "The server does not answer",
  TimeoutError: "The server does not answer",
  OAUTH_TIMEOUT: "The server does not answer",
  ENOTFOUND: "There is no server of this name",
  EAI_AGAIN: "There is no server of this name",
  FailedToOpenSocket: "The server cannot be reached",
  EHOSTUNREACH: "The server cannot be reached",
  ENETUNREACH: "The server cannot be reached",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate of the server is for another name",
  CERT_HAS_EXPIRED: "The certificate of the server has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The certificate of the server is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "The certificate of the server is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The certificate of the server is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The certificate of the server is not trusted",
};

/** The reason in an error or in what caused it; undefined if it is none of a connection. */
export function connectionReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error ? String(error.code) : "";
  return REASONS[code] ?? REASONS[error.name] ?? connectionReason(error.cause);
}
