import { prettyFactory } from 'pino-pretty';

const pretty = prettyFactory({
  colorize: false,
  singleLine: true,
  translateTime: 'SYS:HH:MM:ss',
  ignore: 'pid,hostname,app',
});

/**
 * @param name who printed it @param width of the longest name
 * @returns a line of a process's log as people read it; what is no log line stays as it is
 */
export function readableLine(name: string, line: string, width: number): string {
  return `${name.padEnd(width)} │ ${line.startsWith('{') ? pretty(line).trimEnd() : line}`;
}
