import { describe, expect, it } from '@jest/globals';
import { watchExample, watchKeys } from './watched';

const planOf = (kind: string, entity: string) => ({ intent: { source: { kind }, entity } });

describe('the watched columns of a monitor', () => {
  it('are entered by their titles or keys', () => {
    const plan = planOf('directory', 'person');
    expect(watchKeys(' Company name, city,, LinkedIn URL', plan)).toEqual([
      'company_name',
      'city',
      'linkedin_url',
    ]);
    expect(watchKeys('Deal Size', planOf('table', 'company'))).toEqual(['Deal Size']);
  });

  it("have an example that exists in the plan's rows", () => {
    expect(watchExample(planOf('directory', 'person'))).toBe('Title, Company name');
    expect(watchExample(planOf('directory', 'company'))).toBe('Headcount, City');
    expect(watchExample(planOf('table', 'company'))).toBeUndefined();
  });
});
