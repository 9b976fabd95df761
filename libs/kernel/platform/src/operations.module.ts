import type { Server } from 'node:http';
import {
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type InjectionToken,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OptionalFactoryDependency,
} from '@nestjs/common';
import {
  Lifecycle,
  TrafficMetrics,
  WorkMetrics,
  probesOf,
  serveOperations,
  type MetricsRegistry,
} from '@quarry/app';
import { Database, databaseMetrics } from '@quarry/postgres';

export interface OperationsOptions<Parts extends unknown[]> {
  /** Name of the process in its metrics. */
  app: string;
  host: string;
  port: number;
  /** Providers that the metrics depend on. */
  inject: Array<InjectionToken | OptionalFactoryDependency>;
  registry: (...parts: Parts) => MetricsRegistry;
}

const ADDRESS = Symbol('quarry:operations-address');
const REGISTRY = Symbol('quarry:metrics-registry');

/** Serves `/metrics`, `/healthz` and `/readyz`, until everything but queues and database has closed. */
@Injectable()
class OperationsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | null = null;

  constructor(
    private readonly database: Database,
    private readonly life: Lifecycle,
    private readonly traffic: TrafficMetrics,
    private readonly work: WorkMetrics,
    @Inject(REGISTRY) private readonly registry: MetricsRegistry,
    @Inject(ADDRESS) private readonly address: { app: string; host: string; port: number },
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const probes = probesOf(this.database, () => this.life.isClosing);
    const { app, host, port } = this.address;
    this.traffic.nameProcess(app);
    this.work.nameProcess(app);
    const connections = databaseMetrics(app, this.database);
    const registries = [this.registry, this.traffic.registry, this.work.registry, connections];
    this.server = await serveOperations({ registries, host, port, ...probes });
  }

  onApplicationShutdown(): void {
    this.server?.close();
  }
}

/** Metrics and probes of a process, on a port for the internal network. */
@Module({})
export class OperationsModule {
  static forRoot<Parts extends unknown[]>(options: OperationsOptions<Parts>): DynamicModule {
    const { app, host, port, inject, registry } = options;
    return {
      module: OperationsModule,
      providers: [
        OperationsServer,
        { provide: ADDRESS, useValue: { app, host, port } },
        { provide: REGISTRY, useFactory: registry as (...parts: unknown[]) => MetricsRegistry, inject },
      ],
    };
  }
}
