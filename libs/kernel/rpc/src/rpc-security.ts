/** Secrets and certificates by which a caller proves that it is permitted. */
export interface RpcSecurity {
  /** The first signs, each is accepted. None: nothing is signed. */
  secrets: readonly string[];
  /** Both ends show a certificate of the same authority; null: the wire is plain TCP. */
  tls: RpcTls | null;
}

/** PEM texts. */
export interface RpcTls {
  cert: string;
  key: string;
  /** The authority that both ends' certificates must come from. */
  ca: string;
}

/** Believes everybody: for a network that nobody else reaches. */
export const OPEN_RPC: RpcSecurity = { secrets: [], tls: null };
