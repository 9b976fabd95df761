import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@quarry/local-postgres';
import { waitFor } from './wait-for.js';

const [POSTFIX, SENDMAIL, MASTER] = [
  '/usr/sbin/postfix',
  '/usr/sbin/sendmail',
  '/usr/lib/postfix/sbin/master',
];
const [DOVECOT, DOVEADM, IMAP] = ['/usr/sbin/dovecot', '/usr/bin/doveadm', '/usr/lib/dovecot/imap'];
/** Owner of the mail. 65534 is `nobody` on every Linux. */
const NOBODY = 65534;
/** Services of Postfix that handle mail on this machine; none that sends it elsewhere. */
const SERVICES = [
  'pickup unix n - n 1 1 pickup',
  'cleanup unix n - n - 0 cleanup',
  'qmgr unix n - n 300 1 qmgr',
  'tlsmgr unix - - n 1000? 1 tlsmgr',
  'rewrite unix - - n - - trivial-rewrite',
  ...['bounce', 'defer', 'trace'].map((name) => `${name} unix - - n - 0 bounce`),
  'proxymap unix - - n - - proxymap',
  ...['error', 'retry'].map((name) => `${name} unix - - n - - error`),
  'virtual unix - n n - - virtual',
  'anvil unix - - n - 1 anvil',
  'postlog unix-dgram n - n - 1 postlogd',
];

export interface RealMailServersOptions {
  cert: string;
  key: string;
  /** Domains that are delivered locally. */
  domains: readonly string[];
  /** Passwords by address of each mailbox. Mail to other addresses of these domains is bounced. */
  users: Readonly<Record<string, string>>;
}

/** Debian's Postfix and Dovecot in a separate folder, on loopback ports. No mail leaves the machine. */
export class RealMailServers {
  private constructor(
    private readonly dir: string,
    readonly ports: { smtps: number; submission: number; imaps: number; imap: number },
    private readonly processes: readonly ChildProcess[],
  ) {}

  /** @returns the versions of the programs; null if one is not installed or cannot be started, because it needs root */
  static find(): { postfix: string; dovecot: string } | null {
    if (process.getuid?.() !== 0 || ![POSTFIX, MASTER, DOVECOT, IMAP].every((path) => existsSync(path)))
      return null;
    const outputOf = (program: string, ...args: string[]): string =>
      spawnSync(program, args, { encoding: 'utf8' }).stdout.trim();
    return {
      postfix: outputOf('/usr/sbin/postconf', '-dh', 'mail_version'),
      dovecot: outputOf(DOVECOT, '--version').split(' ')[0]!,
    };
  }

  static async start(options: RealMailServersOptions): Promise<RealMailServers> {
    const dir = mkdtempSync(join(tmpdir(), 'quarry-mail-'));
    chmodSync(dir, 0o755);
    const [smtps, submission, imaps, imap] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ] as const;
    const ports = { smtps, submission, imaps, imap };
    for (const folder of ['postfix', 'mail', 'data', 'queue']) mkdirSync(join(dir, folder));
    chownSync(join(dir, 'mail'), NOBODY, NOBODY);
    run('/bin/chown', 'postfix', join(dir, 'data'));
    writeFileSync(join(dir, 'cert.pem'), options.cert);
    writeFileSync(join(dir, 'key.pem'), options.key, { mode: 0o600 });
    writePostfix(dir, ports, options);
    writeDovecot(dir, ports, options);
    // Creates the folders of the queue.
    run(POSTFIX, '-c', join(dir, 'postfix'), 'check');
    // Postfix kills its process group when it ends.
    const postfix = spawn(MASTER, ['-c', join(dir, 'postfix'), '-d'], {
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const dovecot = spawn(DOVECOT, ['-F', '-c', join(dir, 'dovecot.conf')], {
      detached: true,
      stdio: 'ignore',
    });
    const servers = new RealMailServers(dir, ports, [postfix, dovecot]);
    try {
      await waitFor('Postfix and Dovecot', async () => {
        for (const { exitCode, signalCode } of [postfix, dovecot])
          if (exitCode !== null || signalCode !== null)
            throw new Error(`A server has ended:\n${servers.log}`);
        return (await Promise.all(Object.values(ports).map(isListening))).every(Boolean);
      });
      return servers;
    } catch (error) {
      await servers.stop();
      throw error;
    }
  }

  /** Returns the logs of both. */
  get log(): string {
    return ['postfix.log', 'dovecot.log']
      .map((name) => join(this.dir, name))
      .flatMap((path) => (existsSync(path) ? readFileSync(path, 'utf8') : []))
      .join('');
  }

  /** @returns raw mails in the inbox of an address, in no particular order */
  inbox(address: string): string[] {
    const folders = ['new', 'cur'].map((name) => join(this.dir, 'mail', address, name));
    return folders.flatMap((folder) =>
      existsSync(folder) ? readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8')) : [],
    );
  }

  /** Submits a mail to Postfix like a local program. */
  send(from: string, to: string, raw: string): void {
    const args = ['-C', join(this.dir, 'postfix'), '-i', '-f', from, '--', to];
    const { status, stderr } = spawnSync(SENDMAIL, args, { input: raw, encoding: 'utf8' });
    if (status !== 0) throw new Error(`Postfix takes no mail: ${stderr}`);
  }

  /** Renumbers the inbox of an address with a new UIDVALIDITY, like a server restored from a backup. */
  renumber(address: string, uidvalidity: number): void {
    const args = ['mailbox', 'update', '-u', address, '--uid-validity', String(uidvalidity), 'INBOX'];
    run(DOVEADM, '-c', join(this.dir, 'dovecot.conf'), ...args);
  }

  /** @returns the UIDVALIDITY of the inbox of an address */
  uidvalidity(address: string): number {
    const args = ['-f', 'tab', 'mailbox', 'status', '-u', address, 'uidvalidity', 'INBOX'];
    return Number(/INBOX\t(\d+)/.exec(run(DOVEADM, '-c', join(this.dir, 'dovecot.conf'), ...args))![1]);
  }

  async stop(): Promise<void> {
    for (const child of this.processes) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function writePostfix(
  dir: string,
  { smtps, submission }: RealMailServers['ports'],
  { domains, users }: RealMailServersOptions,
): void {
  const addresses = Object.keys(users);
  const settings = [
    'compatibility_level = 3.6',
    `queue_directory = ${dir}/queue`,
    `data_directory = ${dir}/data`,
    'daemon_directory = /usr/lib/postfix/sbin',
    'mail_owner = postfix',
    'setgid_group = postdrop',
    `maillog_file = ${dir}/postfix.log`,
    `maillog_file_prefixes = ${dir}`,
    'inet_interfaces = 127.0.0.1',
    'inet_protocols = ipv4',
    'myhostname = mx.quarry.test',
    'mydestination =',
    'alias_maps =',
    'default_transport = error:nothing leaves this machine',
    `virtual_mailbox_domains = ${domains.join(' ')}`,
    `virtual_mailbox_maps = texthash:${dir}/postfix/mailboxes`,
    `virtual_mailbox_base = ${dir}/mail`,
    `virtual_uid_maps = static:${NOBODY}`,
    `virtual_gid_maps = static:${NOBODY}`,
    `smtpd_tls_cert_file = ${dir}/cert.pem`,
    `smtpd_tls_key_file = ${dir}/key.pem`,
    'smtpd_tls_auth_only = yes',
    'smtpd_sasl_type = dovecot',
    'smtpd_sasl_path = private/auth',
    'smtpd_sasl_auth_enable = yes',
    'smtpd_relay_restrictions = permit_sasl_authenticated, reject',
    // Accepts mail for unknown recipients and bounces it later, like relays.
    'smtpd_reject_unlisted_recipient = no',
  ];
  const master = [
    `127.0.0.1:${smtps} inet n - n - - smtpd\n  -o smtpd_tls_wrappermode=yes`,
    `127.0.0.1:${submission} inet n - n - - smtpd\n  -o smtpd_tls_security_level=encrypt`,
    ...SERVICES,
  ];
  const write = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(dir, 'postfix', name), `${lines.join('\n')}\n`);
  write('main.cf', settings);
  write('master.cf', master);
  write(
    'mailboxes',
    addresses.map((address) => `${address} ${address}/`),
  );
}

function writeDovecot(
  dir: string,
  { imap, imaps }: RealMailServers['ports'],
  { users }: RealMailServersOptions,
): void {
  writeFileSync(
    join(dir, 'users'),
    Object.entries(users)
      .map(([address, password]) => `${address}:{PLAIN}${password}\n`)
      .join(''),
  );
  chmodSync(join(dir, 'users'), 0o644);
  writeFileSync(
    join(dir, 'dovecot.conf'),
    `
base_dir = ${dir}/run
log_path = ${dir}/dovecot.log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <${dir}/cert.pem
ssl_key = <${dir}/key.pem
auth_mechanisms = plain login
mail_location = maildir:${dir}/mail/%u
first_valid_uid = 1
passdb {
  driver = passwd-file
  args = username_format=%u ${dir}/users
}
userdb {
  driver = static
  args = uid=${NOBODY} gid=${NOBODY} home=${dir}/mail/%u
}
namespace inbox {
  inbox = yes
  mailbox Junk {
    auto = create
    special_use = \\Junk
  }
  mailbox Sent {
    auto = create
    special_use = \\Sent
  }
}
service imap-login {
  inet_listener imap {
    port = ${imap}
  }
  inet_listener imaps {
    port = ${imaps}
    ssl = yes
  }
}
service auth {
  unix_listener ${dir}/queue/private/auth {
    mode = 0660
    user = postfix
    group = postfix
  }
}
`,
  );
}

function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const say = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', say(true)).once('error', say(false));
  });
}
