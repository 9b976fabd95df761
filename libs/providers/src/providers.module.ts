import { Module, type DynamicModule } from '@nestjs/common';
import { ConfiguredProviders, type ProviderSettings } from './configured-providers.js';
import { Providers } from './providers.port.js';

/** Binds {@link Providers} for every module of the process. */
@Module({})
export class ProvidersModule {
  /** @throws ProviderSettingsError at once, before anything of the process is opened */
  static forRoot(settings: ProviderSettings): DynamicModule {
    return {
      module: ProvidersModule,
      global: true,
      providers: [{ provide: Providers, useValue: new ConfiguredProviders(settings) }],
      exports: [Providers],
    };
  }
}
