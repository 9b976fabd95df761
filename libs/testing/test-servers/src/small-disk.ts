import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresServer } from '@quarry/local-postgres';

const SIZE_MB = 300;
const MIB = 1024 * 1024;

/**
 * A small in-memory file system that can be filled safely, with a PostgreSQL cluster on it. Its WAL is elsewhere, because
 * without space for the WAL the server crashes and restarts, which is a different fault. Needs root.
 */
export class SmallDisk {
  /** Folder of the cluster, which is created but not running. */
  readonly cluster: string;
  private readonly disk: string;

  private constructor(private readonly folder: string) {
    this.disk = join(folder, 'disk');
    this.cluster = join(this.disk, 'postgres');
  }

  /** @returns the reason why it cannot be created here, even as root; null if it can */
  static whyNot(): string | null {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-small-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'pipe' });
      execFileSync('umount', [folder], { stdio: 'pipe' });
      return null;
    } catch (error) {
      return (error as Error).message.split('\n').slice(0, 2).join(' ');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** @throws Error if the user may not mount file systems */
  static async open(): Promise<SmallDisk> {
    const small = new SmallDisk(mkdtempSync(join(tmpdir(), 'quarry-small-disk-')));
    chmodSync(small.folder, 0o755);
    mkdirSync(small.disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=0755`, 'tmpfs', small.disk]);
    await (await PostgresServer.start({ dir: small.cluster })).stop();
    small.moveLog();
    return small;
  }

  /** Fills the disk, except for some space that the server's small files need. */
  fill(): void {
    const shown = execFileSync('df', ['--output=avail', '-B1', this.disk]).toString();
    writeFileSync(this.filler, Buffer.alloc(Number(shown.split('\n')[1]) - MIB));
  }

  /** Frees the space that {@link fill} took. */
  free(): void {
    rmSync(this.filler, { force: true });
  }

  /** Unmounts the disk. The server on it must have ended. */
  close(): void {
    execFileSync('umount', [this.disk]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get filler(): string {
    return join(this.disk, 'filler');
  }

  private moveLog(): void {
    const { uid, gid } = statSync(this.cluster);
    const [from, to] = [join(this.cluster, 'pg_wal'), join(this.folder, 'pg_wal')];
    cpSync(from, to, { recursive: true });
    execFileSync('chown', ['-R', `${uid}:${gid}`, to]);
    rmSync(from, { recursive: true });
    symlinkSync(to, from);
    chownSync(to, uid, gid);
  }
}
