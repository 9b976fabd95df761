import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { EXIT, UsageError } from './exit-codes.js';

/** A server and its key. */
export interface Profile {
  name: string;
  url: string;
  apiKey: string;
}

interface Config {
  current?: string;
  /** Profiles by name; the file may have been edited by hand. */
  profiles: Record<string, { url?: string; api_key?: string }>;
}

/** File in the data folder, `.data` of the checkout or `DATA_DIR`, to which `npm start` writes the key of a new installation. */
const CREDENTIALS = 'credentials.json';
const LOCAL = 'local';

/**
 * Checks the address of a server.
 * @param from where it was given, such as QUARRY_URL
 * @throws UsageError when it is no web address
 */
export function checkServerUrl(url: string, from: string): void {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return;
  throw new UsageError(`${from} must be an address such as http://localhost:3000, not ${url}.`);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Profiles in a file that only its owner can read. */
export class Profiles {
  private readonly path: string;

  constructor(
    private readonly environment: Environment,
    private readonly folder: string,
  ) {
    const home = environment.XDG_CONFIG_HOME || join(homedir(), '.config');
    this.path = join(home, 'quarry', 'config.json');
  }

  /**
   * Finds the profile to use: the named one, or else QUARRY_API_KEY with QUARRY_URL, the current one, or that of a Quarry started
   * with this DATA_DIR, in this folder or in one above it.
   * @throws UsageError when there is none
   */
  findProfile(named: string | undefined): Profile {
    if (named !== undefined) return this.getProfile(named);
    const { QUARRY_API_KEY: apiKey, QUARRY_URL: url } = this.environment;
    if (url !== undefined) checkServerUrl(url, 'QUARRY_URL');
    if (apiKey) return { name: 'environment', apiKey, url: url ?? 'http://localhost:3000' };
    const { current } = this.readConfig();
    if (current !== undefined) return this.getProfile(current);
    const local = this.findLocal();
    if (local) return local;
    throw new UsageError(
      'You are not signed in. Run “quarry login --url https://…”, or set QUARRY_URL and QUARRY_API_KEY.',
      EXIT.notAuthenticated,
    );
  }

  listProfiles(): Array<{ name: string; url: string | undefined; is_current: boolean }> {
    const { current, profiles } = this.readConfig();
    return Object.entries(profiles).map(([name, { url }]) => ({ name, url, is_current: name === current }));
  }

  /** Stores a profile, and makes it the current one. */
  saveProfile({ name, url, apiKey }: Profile): void {
    const config = this.readConfig();
    config.profiles[name] = { url, api_key: apiKey };
    this.writeConfig({ ...config, current: name });
  }

  selectProfile(name: string): void {
    this.getProfile(name);
    this.writeConfig({ ...this.readConfig(), current: name });
  }

  /** @returns whether it existed */
  removeProfile(name: string | undefined): boolean {
    const config = this.readConfig();
    const gone = name ?? config.current;
    if (gone === undefined || !Object.hasOwn(config.profiles, gone)) return false;
    delete config.profiles[gone];
    if (config.current === gone) delete config.current;
    this.writeConfig(config);
    return true;
  }

  private getProfile(name: string): Profile {
    const { profiles } = this.readConfig();
    const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    if (profile) {
      const { url, api_key: apiKey } = profile;
      if (url && apiKey) return { name, url, apiKey };
      throw new UsageError(
        `Profile ${name} has no ${url ? 'key' : 'address'}. “quarry login --name ${name}” creates it again.`,
        EXIT.notAuthenticated,
      );
    }
    const local = name === LOCAL ? this.findLocal() : null;
    if (local) return local;
    throw new UsageError(
      `There is no profile ${name}. “quarry profile list” lists profiles, “quarry login --name ${name}” creates one.`,
    );
  }

  private findLocal(): Profile | null {
    const { DATA_DIR: data, QUARRY_URL: givenUrl } = this.environment;
    const path = data
      ? join(resolve(this.folder, data), CREDENTIALS)
      : findUpwards(this.folder, join('.data', CREDENTIALS));
    if (path === null || !existsSync(path)) return null;
    const { api_key: apiKey, base_url: url } = JSON.parse(readFileSync(path, 'utf8')) as {
      api_key: string;
      base_url?: string;
    };
    return { name: LOCAL, apiKey, url: givenUrl ?? url ?? 'http://localhost:3000' };
  }

  private readConfig(): Config {
    if (!existsSync(this.path)) return { profiles: {} };
    try {
      return { profiles: {}, ...(JSON.parse(readFileSync(this.path, 'utf8')) as Partial<Config>) };
    } catch {
      throw new UsageError(`${this.path} is not JSON. Repair it, or delete it and sign in again.`);
    }
  }

  private writeConfig(config: Config): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    // An existing file would keep its mode, so it is created again.
    rmSync(this.path, { force: true });
    writeFileSync(this.path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  }
}

/** Returns the path of a file in a folder, or in the nearest one above that has it. */
function findUpwards(folder: string, name: string): string | null {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? null : findUpwards(dirname(folder), name);
}
