import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode, type Answer, type Packet } from 'dns-packet';

/** Query: a record type, and a name without its final dot. */
export interface NameQuestion {
  type: string;
  name: string;
}

/** Source: RFC 1035, 4.1.1, RCODE 3. */
const NXDOMAIN = 3;

/** Data of a record: an address for A and AAAA, a host for NS, a text for TXT, and both parts for MX. */
export type NameRecord = string | { preference: number; exchange: string };

/**
 * A name server, on loopback by default, with the records of a spec. A name without a record does not exist; like every
 * server with a connection to the Internet, it knows the name servers of `com`.
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
   * @param answer records for a query; null does not respond at all, like a server that is down
   * @param at listening address; a free port on loopback by default
   * @param isCutOff knows only the records of `answer`: every other name does not exist (NXDOMAIN)
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

  /** Returns `host:port` for resolvers. */
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

/** Splits texts. Source: RFC 1035, 3.3.14: a text consists of strings of at most 255 bytes. */
function piecesOf(type: string, data: NameRecord): NameRecord | string[] {
  return type === 'TXT' && typeof data === 'string' ? (data.match(/.{1,255}/gs) ?? ['']) : data;
}
