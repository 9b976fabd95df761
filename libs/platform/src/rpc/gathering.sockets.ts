import type { Socket } from 'node:net';
import { JsonSocket } from '@nestjs/microservices';
import { gatherWrites } from '../streams/gather-writes.js';

/** The answering end: Nest's own framing; the answers of one turn of the event loop leave as one write. */
export class AnswerSocket extends JsonSocket {
  protected override handleSend(message: unknown, callback?: (error?: unknown) => void): void {
    gatherWrites(this.netSocket as Socket);
    super.handleSend(message, callback);
  }
}

/**
 * The asking end. Unlike Nest's socket it goes on reading while its own calls wait to be sent: with both ends pausing,
 * large calls and large answers that meet on a connection would wait for each other for ever. The calls in hand are
 * bounded by whoever makes them.
 */
export class CallSocket extends JsonSocket {
  protected override handleSend(message: unknown, callback?: (error?: unknown) => void): void {
    const socket = this.netSocket as Socket;
    gatherWrites(socket);
    const text = JSON.stringify(message);
    socket.write(`${text.length}#${text}`, 'utf8', callback);
  }
}
