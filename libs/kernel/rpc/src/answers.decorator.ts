import 'reflect-metadata';
import { Catch, UseFilters, type RpcExceptionFilter } from '@nestjs/common';
import { Ctx as MessageContext, MessagePattern, Payload } from '@nestjs/microservices';
import { throwError, type Observable } from 'rxjs';
import type { Ctx } from '@quarry/app';
import type { RpcCall } from './rpc-transport.js';

/** Rethrows every error unchanged; the server of the calls decides what may be sent. */
@Catch()
class PassOnFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

const ANSWERED = Symbol('quarry:answers');

const PASS_ON = new PassOnFilter();

/**
 * Makes a controller method the handler of a declared call: Nest's `MessagePattern` with the types of the call. The method takes
 * context and request, in this order, and returns what the call declares. Any other signature does not compile, so methods need
 * no return type.
 */
export function Answers<Request, Response>(call: RpcCall<Request, Response>) {
  return <Method extends (ctx: Ctx, request: Request) => Promise<Response>>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    MessageContext()(target, key, 0);
    Payload()(target, key, 1);
    MessagePattern(call.pattern)(target, key, descriptor);
    UseFilters(PASS_ON)(target, key, descriptor);
    Reflect.defineMetadata(ANSWERED, call.pattern, descriptor.value!);
  };
}

/** @returns the pattern of the call that a method answers (`Answers`); undefined for any other method */
export function answeredPattern(method: object): string | undefined {
  return Reflect.getMetadata(ANSWERED, method) as string | undefined;
}
