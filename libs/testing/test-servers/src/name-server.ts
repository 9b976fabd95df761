import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode, type Answer, type Packet } from 'dns-packet';

/** Question to the server: a type of record, and a name without its last dot. */
export interface NameQuestion {
  type: string;
  name: string;
}

/** Source: RFC 1035, 4.1.1, RCODE 3. */
const NXDOMAIN = 3;

/** Data of the records that answer: an address for A and AAAA, a host for NS, a text for TXT, and both parts for MX. */
export type NameRecord = string | { preference: number; exchange: string };

/**
 * A name server, on loopback unless told otherwise, whose answers a spec gives. A name without a record does not exist;
 * as every server that is connected to the Internet, it knows the name servers of `com`.
 */
export class NameServer {
  private constructor(
    private readonly socket: Socket,
    private readonly answer: (question: NameQuestion) => readonly NameRecord[] | null,
    private readonly isCutOff: boolean,
  ) {
    socket.on('message', (message, { port, address }) => {
      const packet = this.answerTo(decode(message));
      if (packet) socket.send(encode(packet), port, address);
    });
  }

  /**
   * @param answer records for a question; null answers nothing at all, as a server that is down
   * @param at where it listens; a port of its own on loopback when left out
   * @param isCutOff knows nothing but what `answer` gives: every other name does not exist (NXDOMAIN)
   */
  static async start(
    answer: (question: NameQuestion) => readonly NameRecord[] | null,
    at = { host: '127.0.0.1', port: 0 },
    isCutOff = false,
  ): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.bind(at.port, at.host);
    await once(socket, 'listening');
    return new NameServer(socket, answer, isCutOff);
  }

  /** `host:port`, as resolvers want it. */
  get address(): string {
    const { address, port } = this.socket.address();
    return `${address}:${port}`;
  }

  stop(): void {
    this.socket.close();
  }

  private answerTo({ id, questions = [] }: Packet): Packet | null {
    const [question] = questions;
    if (!question) return null;
    const { type, name } = question;
    const given = this.answer({ type, name });
    if (given === null) return null;
    const isControl = type === 'NS' && name === 'com' && given.length === 0 && !this.isCutOff;
    const records = isControl ? ['a.gtld-servers.net'] : given;
    const answers = records.map((data) => ({ type, name, ttl: 60, data: piecesOf(type, data) }) as Answer);
    const flags = this.isCutOff && answers.length === 0 ? NXDOMAIN : 0;
    return { type: 'response', id, questions, answers, flags };
  }
}

/** Source: RFC 1035, 3.3.14: a text comes in pieces of at most 255 bytes. */
function piecesOf(type: string, data: NameRecord): NameRecord | string[] {
  return type === 'TXT' && typeof data === 'string' ? (data.match(/.{1,255}/gs) ?? ['']) : data;
}
