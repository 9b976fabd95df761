import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createMetrics, envVarsOf, loadEnv } from '@quarry/app';
import { addModelMetrics } from './add-model-metrics.js';
import { modelSettingsOf, plannerNamed, withPlanner } from './model.env.js';

class SampleEnv extends withPlanner(class {}) {}

const OLLAMA = { MODEL_URL: 'http://127.0.0.1:11434/v1', MODEL_NAME: 'qwen3:32b' };

describe('the environment variables of the language model', () => {
  it('configure no model, one without a key, or one with its key in a file', () => {
    expect(modelSettingsOf(loadEnv(SampleEnv, {}))).toBeNull();
    const local = { adapter: 'openai', url: OLLAMA.MODEL_URL, key: null, name: 'qwen3:32b' };
    expect(modelSettingsOf(loadEnv(SampleEnv, OLLAMA))).toEqual(local);
    const dir = mkdtempSync(join(tmpdir(), 'quarry-model-'));
    writeFileSync(join(dir, 'key'), 'sk-from-file\n');
    const sealed = { ...OLLAMA, MODEL_WIRE: 'anthropic', MODEL_KEY_FILE: join(dir, 'key') };
    expect(modelSettingsOf(loadEnv(SampleEnv, sealed))).toMatchObject({
      adapter: 'anthropic',
      key: 'sk-from-file',
    });
    rmSync(dir, { recursive: true });
    const service = { ...OLLAMA, MODEL_URL: 'http://language_model:8000/v1' };
    expect(modelSettingsOf(loadEnv(SampleEnv, service))).toMatchObject({ url: service.MODEL_URL });
    expect(envVarsOf(SampleEnv).get('MODEL_KEY')).toMatchObject({ secret: true });
  });

  it('select the planner: rules without a model, else the model first', () => {
    expect(plannerNamed(loadEnv(SampleEnv, {}))).toBe('rules');
    expect(plannerNamed(loadEnv(SampleEnv, OLLAMA))).toBe('model-or-rules');
    for (const PLANNER of ['rules', 'model', 'model-or-rules'] as const)
      expect(plannerNamed(loadEnv(SampleEnv, { ...OLLAMA, PLANNER }))).toBe(PLANNER);
    expect(plannerNamed(loadEnv(SampleEnv, { PLANNER: 'rules' }))).toBe('rules');
  });

  it('are refused at the start, with every error at once and without the key', () => {
    const faults = (variables: Record<string, string>) => {
      try {
        loadEnv(SampleEnv, variables);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const wrong = faults({
      MODEL_WIRE: 'gopher',
      MODEL_URL: 'file:///etc/passwd',
      MODEL_KEY: 'a b',
      MODEL_NAME: 'two words',
      PLANNER: 'magic',
    });
    for (const name of ['MODEL_WIRE', 'MODEL_URL', 'MODEL_KEY', 'MODEL_NAME', 'PLANNER'])
      expect(wrong).toContain(`  - ${name}: `);
    expect(wrong).not.toContain('a b');
    expect(faults({ MODEL_URL: OLLAMA.MODEL_URL })).toContain('MODEL_NAME');
    expect(faults({ MODEL_KEY: 'sk-1' })).toMatch(/MODEL_URL[^]*MODEL_NAME/);
    expect(faults({ PLANNER: 'model' })).toContain('PLANNER can only be rules');
  });
});

describe('the metrics of the language model', () => {
  it('count calls, time, tokens and cost', async () => {
    const some = createMetrics('spec');
    addModelMetrics(some, () => ({
      asks: new Map([['answered', 3]] as const),
      seconds: new Map([['answered', 4.5]] as const),
      retries: 1,
      inputTokens: 100,
      outputTokens: 20,
      costMicroUsd: 1_500_000,
      open: 1,
      waiting: 2,
      isBreakerOpen: true,
    }));
    const text = await some.metrics();
    for (const [name, value] of [
      ['asks_total{outcome="answered",app="spec"}', 3],
      ['seconds_total{outcome="answered",app="spec"}', 4.5],
      ['input_tokens_total{app="spec"}', 100],
      ['output_tokens_total{app="spec"}', 20],
      ['cost_usd_total{app="spec"}', 1.5],
      ['retries_total{app="spec"}', 1],
      ['asks_open{app="spec"}', 1],
      ['asks_waiting{app="spec"}', 2],
      ['breaker_open{app="spec"}', 1],
    ])
      expect(text).toContain(`quarry_model_${name} ${value}`);
  });
});
