import { afterEach, describe, expect, it } from '@jest/globals';
import { startProduct, type Product } from '@quarry/testing';

const SLOW_MS = 120_000;

describe('the product as a process', () => {
  let product: Product | null = null;
  afterEach(async () => {
    await product?.dispose();
    product = null;
  });

  const get = (path: string) =>
    fetch(`${product!.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${product!.credentials.api_key}` },
    });

  it(
    'shows a table of its sample run, answers with the printed key, and ends with code 0 when asked to',
    async () => {
      product = await startProduct();
      expect(product.output()).toContain('A first run');
      expect(product.output()).not.toContain('The sample run');
      expect((await get('/credits')).status).toBe(200);
      expect(await product.stop()).toBe(0);
    },
    SLOW_MS,
  );

  it(
    'starts again on its own server after it was killed, with the same key and the same runs',
    async () => {
      product = await startProduct({ database: 'embedded' });
      const runIds = async () => {
        const { items } = (await (await get('/v1/runs')).json()) as { items: Array<{ id: string }> };
        return items.map(({ id }) => id);
      };
      const before = await runIds();
      expect(before).toHaveLength(1);
      await product.kill9();
      const { dataDir } = product;
      product = await startProduct({ database: 'embedded', dataDir });
      expect(product.output()).not.toContain('A first run');
      expect(await runIds()).toEqual(before);
    },
    SLOW_MS,
  );

  it('names every fault at once when its environment is not valid', async () => {
    const started = startProduct({ env: { PORT: 'http', SANDBOX: 'perhaps' } });
    await expect(started).rejects.toThrow(/PORT[^]*SANDBOX must be on or off/);
  });
});
