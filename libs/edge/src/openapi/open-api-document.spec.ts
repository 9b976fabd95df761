import 'reflect-metadata';
import { Controller, Get } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { resourceSchemas } from '@quarry/dto';
import { IsPort } from 'class-validator';
import { CONTROLLERS } from '../http/http-api.module.js';
import { JsonRoute } from '../http/route-policy.js';
import { bodySchemaOf } from './request-schema.js';
import { openApiDocument } from './open-api-document.js';

type Operation = {
  operationId: string;
  responses: Record<string, unknown>;
  parameters?: Array<{ name: string }>;
};
type Document = { paths: Record<string, Record<string, Operation>> };

@Controller('v1/strays')
class StrayController {
  @Get()
  @JsonRoute()
  list(): string {
    return '[]';
  }
}

describe('the description of the API', () => {
  const document = openApiDocument(CONTROLLERS) as Document;
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

  it('names each operation once, with a good answer and what it may be refused with', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operationId, responses } of operations) {
      const statuses = Object.keys(responses);
      if (operationId !== 'createJob') expect(statuses.some((status) => status < '4')).toBe(true);
      expect(statuses).toEqual(expect.arrayContaining(['500', '503', 'default']));
    }
  });

  it('says of every route that makes or spends that it takes an Idempotency-Key', () => {
    const keyed = operations
      .filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'Idempotency-Key'))
      .map(({ operationId }) => operationId);
    expect(keyed).toEqual(
      expect.arrayContaining([
        'createRun',
        'createWorkspace',
        'importTable',
        'createExport',
        'createBatch',
        'runService',
        'searchCompanies',
        'erasePerson',
      ]),
    );
  });

  it('refers to nothing that it does not have', () => {
    const text = JSON.stringify(document);
    const names = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!.split('/'));
    for (const path of names)
      expect(
        path.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document),
      ).toBeDefined();
  });

  it('is not made while a route is not described', () => {
    expect(() => openApiDocument([...CONTROLLERS, StrayController])).toThrow(
      'StrayController.list (/v1/strays)',
    );
  });

  it('is not made while a rule of a request has no words in it', () => {
    class Odd {
      @IsPort() port!: string;
    }
    expect(() => bodySchemaOf(Odd)).toThrow('Odd.port: isPort has no words in JSON Schema.');
  });

  it('lets no resource have a field that it does not name', () => {
    for (const [name, schema] of Object.entries(resourceSchemas((id) => id)))
      expect({ name, additionalProperties: schema.additionalProperties }).toEqual({
        name,
        additionalProperties: false,
      });
  });
});
