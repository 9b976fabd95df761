/**
 * Exits when a command without arguments gets some: with 0 and its usage if help was requested, otherwise with 2.
 * @param {readonly string[]} args
 * @param {string} usage ends with a line break
 */
export function refuseArguments(args, usage) {
  if (args.length === 0) return;
  if (args.every((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(usage);
    process.exit(0);
  }
  process.stderr.write(`${args.join(' ')} is not a known argument.\n\n${usage}`);
  process.exit(2);
}
