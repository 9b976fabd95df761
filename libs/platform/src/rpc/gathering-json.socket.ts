import type { Socket } from 'node:net';
import { JsonSocket } from '@nestjs/microservices';
import { gatherWrites } from '../streams/gather-writes.js';

/** Nest's own framing; the calls or answers of one turn of the event loop leave as one write. */
export class GatheringJsonSocket extends JsonSocket {
  protected override handleSend(message: unknown, callback?: (error?: unknown) => void): void {
    gatherWrites(this.netSocket as Socket);
    super.handleSend(message, callback);
  }
}
