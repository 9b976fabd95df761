import type { Socket } from 'node:net';

/** Pauses reading from a socket while there is any reason to. */
export class SocketBackpressure {
  private readonly reasons = new Set<string>();

  constructor(private readonly socket: Socket) {}

  close(reason: string): void {
    this.reasons.add(reason);
    this.socket.pause();
  }

  open(reason: string): void {
    if (this.reasons.delete(reason) && this.reasons.size === 0) this.socket.resume();
  }
}
