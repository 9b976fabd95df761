import { readFileSync } from 'node:fs';
import type { LanguageModel } from '@quarry/language-models';
import {
  EnvError,
  EnvVar,
  namedVariable,
  ENCRYPTION_KEY_CHARACTERS_MIN,
  toList,
  type Logger,
} from '@quarry/app';
import { ProviderSettingsError, readProvidersFile } from '@quarry/engine';
import { phonesOf } from '@quarry/extraction';
import { ModelReadingProvider, ResearchProvider } from '@quarry/research';
import { VENDORS } from '@quarry/vendors';
import { Transform } from 'class-transformer';
import { IsNotEmpty, IsOptional, IsString, MinLength } from 'class-validator';
import type { DynamicModule } from '@nestjs/common';
import type { ProviderSettings } from '../operator/configured-providers.js';
import { ProvidersModule } from '../providers.module.js';
import { webOf, withOutbound } from './outbound.env.js';
import { vendorOf, withVendor } from './vendor.env.js';

/**
 * Adds the provider variables to an environment class: the operator's own vendor, those of the catalogue, and the providers
 * file.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the compiler takes mixins with these parameters only
export function withProviders<T extends new (...args: any[]) => object>(Base: T) {
  class ProvidersEnv extends withOutbound(withVendor(Base)) {
    @EnvVar({
      group: 'providers',
      description: 'File with the order and settings of providers, JSON or YAML (docs/providers.md).',
    })
    @IsOptional()
    @IsString()
    @IsNotEmpty()
    PROVIDERS_FILE?: string;

    @EnvVar({
      group: 'secrets',
      description:
        'Keys that encrypt stored secrets, the same in every process; 32 characters or more each. Several, comma-separated, while the first one replaces the others.',
      secret: true,
    })
    @Transform(toList)
    @MinLength(ENCRYPTION_KEY_CHARACTERS_MIN, {
      each: true,
      message: `ENCRYPTION_KEYS must be keys of ${ENCRYPTION_KEY_CHARACTERS_MIN} characters or more, comma-separated`,
    })
    ENCRYPTION_KEYS: string[] = [];
  }
  // The variables of a vendor are defined only in its own file.
  for (const { title, key, base } of VENDORS) {
    if (key)
      documentVariable(ProvidersEnv, key.env, {
        group: 'vendorKeys',
        description: `Key of ${title} (docs/providers.md).`,
        secret: true,
      });
    if (typeof base !== 'string')
      documentVariable(ProvidersEnv, base.env, {
        group: 'providers',
        description: `Address of your ${title}.`,
      });
  }
  return ProvidersEnv;
}

function documentVariable(
  type: abstract new () => object,
  name: string,
  doc: Parameters<typeof EnvVar>[0],
): void {
  for (const decorate of [EnvVar(doc), IsOptional()]) decorate(type.prototype as object, name);
}

type ProvidersEnv = InstanceType<ReturnType<typeof withProviders>> & { SANDBOX: boolean };

/**
 * @param model language model for research; null for no research
 * @returns the module that binds the providers of services
 * @throws EnvError that lists all faults of the file, and of the keys and addresses it refers to
 */
export async function providersOf(
  env: ProvidersEnv,
  logger: Logger,
  model: LanguageModel | null = null,
): Promise<DynamicModule> {
  try {
    return ProvidersModule.forRoot(await settingsOf(env, logger, model));
  } catch (error) {
    if (!(error instanceof ProviderSettingsError)) throw error;
    const place = env.PROVIDERS_FILE === undefined ? '' : 'PROVIDERS_FILE: ';
    throw new EnvError(error.faults.map((fault) => `${place}${fault}`));
  }
}

async function settingsOf(
  env: ProvidersEnv,
  logger: Logger,
  model: LanguageModel | null,
): Promise<ProviderSettings> {
  return {
    sandbox: env.SANDBOX,
    vendor: vendorOf(env),
    web: webOf(env),
    catalogue: { file: await fileOf(env), variable: namedVariable },
    ...(model
      ? {
          research: (pages) => new ResearchProvider(model, pages, phonesOf),
          reading: (pages) => new ModelReadingProvider(model, pages),
        }
      : {}),
    logger,
  };
}

async function fileOf({ PROVIDERS_FILE: path }: ProvidersEnv): ReturnType<typeof readProvidersFile> {
  return path === undefined ? {} : readProvidersFile(textOf(path));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new EnvError([`PROVIDERS_FILE: ${path} cannot be read (${code})`]);
  }
}
