import { prettyFactory } from 'pino-pretty';

const pretty = prettyFactory({
  colorize: false,
  singleLine: true,
  translateTime: 'SYS:HH:MM:ss',
  ignore: 'pid,hostname,app',
});

/**
 * @param name process that printed it @param width of the longest name
 * @returns a log line in a readable form; a line that is not from the logger is returned unchanged
 */
export function readableLine(name: string, line: string, width: number): string {
  return `${name.padEnd(width)} │ ${line.startsWith('{') ? pretty(line).trimEnd() : line}`;
}
