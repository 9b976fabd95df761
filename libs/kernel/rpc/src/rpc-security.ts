/** Secrets and certificates that authenticate callers. */
export interface RpcSecurity {
  /** The first one signs, each is accepted. When empty, nothing is signed. */
  secrets: readonly string[];
  /** Both ends show a certificate of the same authority. With null, connections are plain TCP. */
  tls: RpcTls | null;
}

/** PEM texts. */
export interface RpcTls {
  cert: string;
  key: string;
  /** The authority that must have issued both ends' certificates. */
  ca: string;
}

/** No authentication: for a network that nobody else can reach. */
export const OPEN_RPC: RpcSecurity = { secrets: [], tls: null };
