import 'reflect-metadata';
import { Controller, Get } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { JOB_STATUSES, resourceSchemas } from '@quarry/dto';
import { bodySchemaOf, JsonRoute, openApiDocument } from '@quarry/http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { IsPort } from 'class-validator';
import { CONTROLLERS } from './http-api.module.js';

type Content = Record<string, { schema: { $ref?: string; discriminator?: object } }>;
type Operation = {
  operationId: string;
  responses: Record<string, unknown>;
  parameters?: Array<{ name: string; schema: { pattern?: string } }>;
  requestBody?: { content: Content };
  'x-quarry': { spends: boolean; idempotent: string; paging: string | null };
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; responses: Record<string, { content: Content }> };
};

@Controller('v1/strays')
class StrayController {
  @Get()
  @JsonRoute()
  list(): string {
    return '[]';
  }
}

describe('the OpenAPI description', () => {
  const document = openApiDocument(CONTROLLERS) as Document;
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

  it('names each operation once, with a success response and its error responses', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operationId, responses } of operations) {
      const statuses = Object.keys(responses);
      if (operationId !== 'createJob') expect(statuses.some((status) => status < '4')).toBe(true);
      expect(statuses).toEqual(expect.arrayContaining(['500', '503', 'default']));
    }
  });

  it('declares the Idempotency-Key on routes that create or spend', () => {
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

  it('has no dangling references', () => {
    const text = JSON.stringify(document);
    const names = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!.split('/'));
    for (const path of names)
      expect(
        path.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document),
      ).toBeDefined();
  });

  it('has schemas that pass a strict validator, each object declaring additionalProperties', () => {
    const ajv = new Ajv2020({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      validateFormats: false,
    });
    ajv.addKeyword('discriminator');
    const { schemas } = document.components;
    for (const [name, schema] of Object.entries(schemas))
      ajv.addSchema(
        JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '')) as object,
        name,
      );
    for (const name of Object.keys(schemas)) expect(() => ajv.getSchema(name)).not.toThrow();
    const open = [...JSON.stringify(document).matchAll(/\{"type":"object"[^{}]*\}/g)].map(([text]) => text);
    expect(open.filter((text) => !text.includes('additionalProperties'))).toEqual([]);
  });

  it('names every body, and has one envelope for every error', () => {
    const nameless = operations.filter(({ requestBody, operationId }) => {
      const schema = requestBody?.content['application/json']?.schema;
      return (
        schema &&
        !schema.$ref &&
        !schema.discriminator &&
        !['runService', 'createJob', 'callMcp'].includes(operationId)
      );
    });
    expect(nameless.map(({ operationId }) => operationId)).toEqual([]);
    for (const [name, { content }] of Object.entries(document.components.responses))
      expect([name, content['application/json']?.schema]).toEqual([
        name,
        { $ref: '#/components/schemas/ErrorEnvelope' },
      ]);
  });

  it('declares the item type of each list in a request', () => {
    const lists = Object.entries(document.components.schemas)
      .filter(([name]) => name.endsWith('Request'))
      .flatMap(([name, schema]) =>
        [...JSON.stringify(schema).matchAll(/"items":(\{[^}]*)/g)].map(
          ([, items]) => [name, items!] as const,
        ),
      );
    expect(lists.length).toBeGreaterThan(20);
    expect(lists.filter(([, items]) => !/^\{.*?"(type|anyOf|\$ref)":/.test(items))).toEqual([]);
  });

  it('accepts the columns of an import as they are read, including qualifications', () => {
    const takes = new Ajv2020({ strict: false }).compile(document.components.schemas.ImportTableRequest!);
    const column = { key: 'staff', name: 'Staff', kind: 'number' };
    const qualification = { criterion: 'Has 50 staff', effect: 'require' };
    const body = (...columns: object[]) => ({ name: 'A', columns, rows: [] });
    expect([{}, qualification].map((each) => takes(body({ ...column, qualification: each })))).toEqual([
      true,
      true,
    ]);
    expect([body(), body({ ...column, kind: 'zip' })].map((each) => takes(each))).toEqual([false, false]);
  });

  it('declares the format of every identifier in a path', () => {
    const vague = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ operationId, parameters = [] }) =>
        parameters
          .filter(({ name, schema }) => path.includes(`{${name}}`) && /id$/.test(name) && !schema.pattern)
          .map(() => operationId),
      ),
    );
    // Vendors are identified by name.
    expect([...new Set(vague)]).toEqual(['setProvider', 'deleteProvider']);
  });

  it('types batch lines by their status, and has an alternative to a DELETE with a body', () => {
    const { JobLine, CompletedJobLine, FailedJobLine, OpenJobLine } = document.components.schemas as Record<
      string,
      any
    >;
    expect(Object.keys(JobLine!.discriminator.mapping).sort()).toEqual([...JOB_STATUSES].sort());
    expect(CompletedJobLine!.required).toContain('result');
    expect(FailedJobLine!.required).toContain('error');
    expect(Object.keys(OpenJobLine!.properties)).not.toEqual(expect.arrayContaining(['result']));
    const deletions = operations.filter((each) => each.operationId.startsWith('delete') && each.requestBody);
    expect(deletions.map(({ operationId }) => operationId)).toEqual(['deleteExclusions']);
    expect(operations.map(({ operationId }) => operationId)).toContain('removeExclusions');
  });

  it('declares for every operation what it spends, how it can be repeated and how it pages', () => {
    const spending = operations
      .filter((each) => each['x-quarry'].spends)
      .map(({ operationId }) => operationId);
    expect(spending).toEqual(
      expect.arrayContaining([
        'createRun',
        'createRunOfPlan',
        'createBatch',
        'createEnrichment',
        'runGo',
        'createGoRun',
        'runService',
        'searchCompanies',
        'scrapeUrl',
      ]),
    );
    const readsThatSpend = Object.values(document.paths).filter(({ get }) => get?.['x-quarry'].spends);
    expect(readsThatSpend).toEqual([]);
    // An operation that charges must be safe to retry: each takes an idempotency key.
    const twice = operations.filter(
      ({ 'x-quarry': { spends, idempotent } }) => spends && idempotent === 'never',
    );
    expect(twice).toEqual([]);
    const paging = Object.fromEntries(operations.map((each) => [each.operationId, each['x-quarry'].paging]));
    expect(paging).toMatchObject({ listRows: 'cursor', listRuns: 'offset', getRun: null });
  });

  it('is not generated while a route is undocumented', () => {
    expect(() => openApiDocument([...CONTROLLERS, StrayController])).toThrow(
      'StrayController.list (/v1/strays)',
    );
  });

  it('is not generated while a validation rule cannot be expressed in it', () => {
    class Odd {
      @IsPort() port!: string;
    }
    expect(() => bodySchemaOf(Odd)).toThrow('Odd.port: isPort has no words in JSON Schema.');
  });

  it('lets no resource have undeclared fields', () => {
    for (const [name, schema] of Object.entries(resourceSchemas((id) => id)))
      expect({ name, additionalProperties: schema.additionalProperties }).toEqual({
        name,
        additionalProperties: false,
      });
  });
});
