import { Module, type DynamicModule, type InjectionToken, type Provider, type Type } from '@nestjs/common';
import { RpcTransport } from '@quarry/rpc';
import { EventFollower, EventLog } from '@quarry/events';
import { ChangeStreams } from './changes/change-streams.js';
import { EventReads } from './events/event-reads.js';
import { EventStreams } from './events/event-streams.js';
import { AuditController } from './app/audit.controller.js';
import { ChangesController } from './app/changes.controller.js';
import { InvitationsController } from './app/invitations.controller.js';
import { KeysController } from './app/keys.controller.js';
import { MembersController } from './app/members.controller.js';
import { GoQuestionsController } from './app/go-questions.controller.js';
import { OutreachController } from './app/outreach.controller.js';
import { SessionsController } from './app/sessions.controller.js';
import { SessionController } from './app/session.controller.js';
import { DocsController } from './pages/docs.controller.js';
import { ErasuresController } from './api/erasures.controller.js';
import { EventsController } from './api/events.controller.js';
import { ExclusionsController } from './api/exclusions.controller.js';
import { ExportsController } from './api/exports.controller.js';
import { GoController } from './api/go.controller.js';
import { HealthController } from './api/health.controller.js';
import { McpController } from './api/mcp.controller.js';
import { OpenApiController } from './api/open-api.controller.js';
import { PlansController } from './api/plans.controller.js';
import { ProvidersController } from './api/providers.controller.js';
import { EnrichmentsController } from './api/enrichments.controller.js';
import { RunsController } from './api/runs.controller.js';
import { ServiceJobsController } from './api/service-jobs.controller.js';
import { ServicesController } from './api/services.controller.js';
import { TablesController } from './api/tables.controller.js';
import { MonitorsController } from './api/monitors.controller.js';
import { SequencesController } from './api/sequences.controller.js';
import { ContactsController } from './api/contacts.controller.js';
import { InboxController } from './api/inbox.controller.js';
import { UnsubscribeController } from './pages/unsubscribe.controller.js';
import { DestinationsController } from './api/destinations.controller.js';
import { WebhooksController } from './api/webhooks.controller.js';
import { WorkspacesController } from './api/workspaces.controller.js';
import { HeldReads } from '@quarry/app';
import {
  GATE_OPTIONS,
  KeyLimiter,
  LONG_ANSWERS,
  type LongAnswers,
  openApiDocument,
  scaledBudget,
  scaledRateClasses,
  ShutdownState,
  SIGN_IN_BUDGETS,
} from '@quarry/http';
import type { HttpApiOptions } from './http-api.options.js';
import { toolsEndpoint } from './api/tools-endpoint.js';
import {
  APP_URL,
  GO_SYNC_WAIT_SECONDS,
  HTTP_API_OPTIONS,
  IS_STUCK,
  MCP_ENDPOINT,
  OPEN_API,
  READINESS,
  SIGN_IN_ATTEMPTS,
  type ReadinessChecks,
} from './tokens.js';

/** Every route of the public API belongs to one of these. */
export const CONTROLLERS: readonly Type[] = [
  PlansController,
  RunsController,
  EventsController,
  EnrichmentsController,
  ExportsController,
  WorkspacesController,
  TablesController,
  ErasuresController,
  ExclusionsController,
  ServiceJobsController,
  ServicesController,
  GoController,
  ProvidersController,
  MonitorsController,
  WebhooksController,
  DestinationsController,
  SequencesController,
  ContactsController,
  InboxController,
  McpController,
  HealthController,
  OpenApiController,
];

/** Controllers of the web application only, with a session. They are not part of the public API and its description. */
const APP_CONTROLLERS: readonly Type[] = [
  SessionController,
  SessionsController,
  KeysController,
  MembersController,
  InvitationsController,
  AuditController,
  ChangesController,
  GoQuestionsController,
  OutreachController,
];

/** Source: docs/contract.md#6-go. */
const GO_SYNC_WAIT_SECONDS_MAX = 100;

/** Factory of the options, with its dependencies. */
export interface HttpApiSource<Parts extends unknown[]> {
  /** Modules that export the dependencies, in addition to global ones. */
  imports?: Array<DynamicModule | Type>;
  inject: InjectionToken[];
  useFactory: (...parts: Parts) => HttpApiOptions;
}

/** All routes of the public API, over one RPC transport. */
@Module({})
export class HttpApiModule {
  static forRootAsync<Parts extends unknown[]>(source: HttpApiSource<Parts>): DynamicModule {
    const of = <T>(provide: InjectionToken, read: (options: HttpApiOptions) => T): Provider => ({
      provide,
      useFactory: read,
      inject: [HTTP_API_OPTIONS],
    });
    return {
      module: HttpApiModule,
      imports: source.imports ?? [],
      // The documentation and unsubscribe pages are not part of the API and its description.
      controllers: [...CONTROLLERS, ...APP_CONTROLLERS, DocsController, UnsubscribeController],
      providers: [
        {
          provide: HTTP_API_OPTIONS,
          useFactory: source.useFactory as (...parts: unknown[]) => HttpApiOptions,
          inject: source.inject,
        },
        of(RpcTransport, ({ rpc }) => rpc),
        {
          provide: KeyLimiter,
          useFactory: ({ rateLimits, rateLimitScale }: HttpApiOptions) =>
            new KeyLimiter(rateLimits, scaledRateClasses(rateLimitScale)),
          inject: [HTTP_API_OPTIONS],
        },
        { provide: MCP_ENDPOINT, useFactory: toolsEndpoint, inject: [HTTP_API_OPTIONS, HeldReads] },
        of(GO_SYNC_WAIT_SECONDS, ({ goHeldSeconds }) => goHeldSeconds ?? GO_SYNC_WAIT_SECONDS_MAX),
        of(APP_URL, ({ appUrl }) => appUrl),
        of(SIGN_IN_ATTEMPTS, ({ rateLimitScale }) => ({
          account: scaledBudget(SIGN_IN_BUDGETS.account, rateLimitScale),
          address: scaledBudget(SIGN_IN_BUDGETS.address, rateLimitScale),
        })),
        of(IS_STUCK, ({ isStuck }) => isStuck),
        of(ChangeStreams, ({ changes, onChangesFailure }) => new ChangeStreams(changes, onChangesFailure)),
        of(EventLog, ({ events }) => events.log),
        of(EventFollower, ({ events, onChangesFailure }) => new EventFollower(events.log, onChangesFailure)),
        {
          provide: EventReads,
          useFactory: (log: EventLog, follower: EventFollower, heldReads: HeldReads) =>
            new EventReads(log, follower, heldReads),
          inject: [EventLog, EventFollower, HeldReads],
        },
        {
          provide: EventStreams,
          useFactory: (follower: EventFollower, { events, onChangesFailure }: HttpApiOptions) =>
            new EventStreams(follower, events.findAdmitted, onChangesFailure, events.limits),
          inject: [EventFollower, HTTP_API_OPTIONS],
        },
        HeldReads,
        {
          provide: LONG_ANSWERS,
          useFactory: (...answers: LongAnswers[]) => answers,
          inject: [HeldReads, ChangeStreams, EventStreams, EventReads, EventFollower, MCP_ENDPOINT],
        },
        { provide: GATE_OPTIONS, useExisting: HTTP_API_OPTIONS },
        ShutdownState,
        {
          provide: READINESS,
          useFactory: ({ readiness }: HttpApiOptions, shutdown: ShutdownState): ReadinessChecks => ({
            ...readiness,
            process: () => shutdown.assertServing(),
          }),
          inject: [HTTP_API_OPTIONS, ShutdownState],
        },
        { provide: OPEN_API, useValue: () => openApiDocument(CONTROLLERS) },
      ],
    };
  }
}
