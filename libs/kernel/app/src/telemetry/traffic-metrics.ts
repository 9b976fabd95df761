import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';

/** Seconds. A read takes milliseconds, a search some seconds; held reads end after a minute, a held call after 100 s. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 100];

/**
 * Stage at which a caller was refused: the limit of unauthenticated connections, its certificate, its handshake
 * (protocol, secret, signature, area), or a later message.
 */
type RefusalStage = 'limit' | 'certificate' | 'introduction' | 'session';

/**
 * Rate, errors and duration of the requests to the public API and of the calls between services. Labels are names from
 * this program only, never client input, so that their number is bounded.
 */
@Injectable()
export class TrafficMetrics {
  readonly registry = new Registry();
  private readonly answers = new Counter({
    name: 'quarry_http_answers_total',
    help: 'Responses of the public API, by route and status. Requests without a route count as "unknown".',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [this.registry],
  });
  private readonly answerSeconds = new Histogram({
    name: 'quarry_http_answer_seconds',
    help: 'Time from the head of a request to the end of its response, by route. Held reads include the time of the hold.',
    labelNames: ['method', 'route'] as const,
    buckets: BUCKETS,
    registers: [this.registry],
  });
  private readonly calls = new Counter({
    name: 'quarry_calls_total',
    help: 'Calls between services that this process handled, by call and by "ok" or the error code.',
    labelNames: ['call', 'outcome'] as const,
    registers: [this.registry],
  });
  private readonly callSeconds = new Histogram({
    name: 'quarry_call_seconds',
    help: 'Duration of calls between services in the process that handled them, by call.',
    labelNames: ['call'] as const,
    buckets: BUCKETS,
    registers: [this.registry],
  });

  private readonly refusedCallers = new Counter({
    name: 'quarry_refused_callers_total',
    help: 'Refused connections of other services, by stage.',
    labelNames: ['stage'] as const,
    registers: [this.registry],
  });

  /** @param app name of the process in its metrics */
  nameProcess(app: string): void {
    this.registry.setDefaultLabels({ app });
  }

  /** @param route with the names of its parameters instead of their values; null if no route was found */
  countAnswer(method: string, route: string | null, status: number, seconds: number): void {
    // Without a route, the method is also client input, and would create a label of its own each time.
    const labels = route === null ? { method: 'any', route: 'unknown' } : { method, route };
    this.answers.inc({ ...labels, status });
    this.answerSeconds.observe(labels, seconds);
  }

  /** Counts a refused caller. */
  countRefusal(stage: RefusalStage): void {
    this.refusedCallers.inc({ stage });
  }

  /** @param call name of a declared call. @param outcome `ok` or an error code */
  countCall(call: string, outcome: string, seconds: number): void {
    this.calls.inc({ call, outcome });
    this.callSeconds.observe({ call }, seconds);
  }
}
