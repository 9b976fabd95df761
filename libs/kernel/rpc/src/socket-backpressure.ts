import type { Socket } from 'node:net';

/** Stops the reading of a socket for as long as anybody has a reason to. */
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
