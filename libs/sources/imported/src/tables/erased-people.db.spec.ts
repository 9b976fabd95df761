import { describe, expect, it } from '@jest/globals';
import { useTestDatabase, testCtx } from '@quarry/testing';
import type { DirectoryFile } from '../import/directory-file.js';
import { DirectoryStore } from './directory.store.js';
import { ErasedPeople } from './erased-people.js';
import { DirectoryImporter, type ImportReport } from '../import/directory-importer.js';
import { findMapping } from '../import/find-mapping.js';

const HEADER = ['full_name', 'company_name', 'company_domain', 'linkedin_url'];
const PROFILE = 'https://www.linkedin.com/in/ada-zahl';
const PEOPLE = [
  ['Ada Zahl', 'Zahlwerk GmbH', 'zahlwerk.example', PROFILE],
  ['Bo Zahl', 'Zahlwerk GmbH', 'zahlwerk.example', 'https://www.linkedin.com/in/bo-zahl'],
  ['Léa Moreau', 'Müller & Söhne', 'mueller.example', 'https://www.linkedin.com/in/lea'],
  ['Léa Moreau', 'Elsewhere', 'elsewhere.example', 'https://www.linkedin.com/in/another-lea'],
];

/** @param onLines called before the lines are yielded */
function fileOf(people: string[][], onLines = (): Promise<void> => Promise.resolve()): DirectoryFile {
  return {
    header: HEADER,
    async *batches() {
      await onLines();
      yield people.map((fields, i) => ({ line: i + 2, fields }));
    },
  };
}

describe('people erased from directories', () => {
  const test = useTestDatabase();

  async function importOf(name: string, file: DirectoryFile): Promise<ImportReport> {
    const mapping = findMapping('people', HEADER);
    return new DirectoryImporter(test.database).importFile({
      kind: 'people',
      name,
      file,
      mapping,
      source: 'spec',
    });
  }

  const erase = (named: Parameters<ErasedPeople['erasePerson']>[0]) =>
    new ErasedPeople(test.database).erasePerson(named);

  /** @returns the people in each directory, and checks that each directory's row count is correct */
  async function held(): Promise<string[]> {
    const heads = await new DirectoryStore(test.database).listSummaries();
    const found: string[] = [];
    for (const { name, number, rowCount } of heads) {
      const rows = await test.database.query<{ who: string }>(
        testCtx(''),
        `SELECT full_name || ', ' || company_name AS who FROM directory.people_${number} ORDER BY position`,
      );
      expect([name, rows.length]).toEqual([name, rowCount]);
      found.push(...rows.map(({ who }) => `${name}: ${who}`));
    }
    return found;
  }

  it('are removed from all of them at once, others stay, and a second erasure finds nobody', async () => {
    await importOf('first', fileOf(PEOPLE));
    await importOf('second', fileOf(PEOPLE.slice(0, 2)));
    expect(await erase({ linkedin_url: 'linkedin.com/in/Ada-Zahl/?trk=x' })).toBe(2);
    expect(await erase({ linkedin_url: PROFILE })).toBe(0);
    // A company may be named by its domain; the same name at another company is a different person.
    expect(await erase({ name: 'lea MOREAU', company: 'mueller.example' })).toBe(1);
    expect(await held()).toEqual([
      'first: Bo Zahl, Zahlwerk GmbH',
      'first: Léa Moreau, Elsewhere',
      'second: Bo Zahl, Zahlwerk GmbH',
    ]);
  });

  it('stay out of later imports, even if the file has another company for their profile', async () => {
    const moved = ['Lea Moreau-Petit', 'Third', 'third.example', 'linkedin.com/in/lea'];
    const withoutProfile = ['Léa Moreau', 'Mueller', 'mueller.example', ''];
    const later = [...PEOPLE.slice(0, 2), moved, PEOPLE[3]!, withoutProfile];
    const report = await importOf('first', fileOf(later));
    const reason = 'This person was erased from directories.';
    expect([report.rowCount, report.rejectedCount]).toEqual([2, 3]);
    expect(report.rejected).toEqual([2, 4, 6].map((line) => ({ line, reason })));
    expect((await held()).filter((who) => who.startsWith('first'))).toEqual([
      'first: Bo Zahl, Zahlwerk GmbH',
      'first: Léa Moreau, Elsewhere',
    ]);
  });

  it('stay out of an import that was running when they were erased', async () => {
    let erased = -1;
    const file = fileOf(PEOPLE, async () => {
      erased = await erase({ name: 'Bo Zahl', company: 'Zahlwerk GmbH' });
    });
    const report = await importOf('third', file);
    expect(erased).toBe(2);
    expect(report.rowCount).toBe(1);
    expect(await held()).toEqual(['first: Léa Moreau, Elsewhere', 'third: Léa Moreau, Elsewhere']);
  });

  it('leave nothing but hashes', async () => {
    const rows = await test.database.query(testCtx(''), 'SELECT * FROM erasure.directory_people');
    // Ada's profile; Léa's name in either order with a domain and with a company name, and her profile; the same for Bo,
    // without a domain.
    expect(rows).toHaveLength(9);
    expect(Object.keys(rows[0]!)).toEqual(['subject_sha256', 'erased_at']);
  });

  it('are found by every spelling of their profile URL, and never by a language suffix', async () => {
    const named = (name: string, url: string) => [name, 'Spelling Ltd', '', url];
    const people = [
      named('Gül Müller', 'https://www.linkedin.com/in/g%C3%BCl-m%C3%BCller/en'),
      named('Ida Quell', 'https://www.linkedin.com/in/ida-quell/en'),
      named('Jo Rest', 'https://www.linkedin.com/in/jo-rest/en'),
      named('Kim Stein', 'https://www.linkedin.com/in/kim-stein'),
    ];
    expect(await importOf('spelled', fileOf(people))).toMatchObject({ rowCount: 4 });
    expect(await erase({ linkedin_url: 'https://de.linkedin.com/in/Gu\u0308l-mu%CC%88ller/' })).toBe(1);
    expect(await erase({ linkedin_url: 'https://www.linkedin.com/in/ida-quell/en' })).toBe(1);
    expect(await erase({ name: 'Stein, Kim', company: 'Spelling Ltd' })).toBe(1);
    expect((await held()).filter((who) => who.startsWith('spelled'))).toEqual([
      'spelled: Jo Rest, Spelling Ltd',
    ]);
    const turned = named('Stein Kim', 'https://www.linkedin.com/in/kim-stein-at-work');
    expect(await importOf('spelled', fileOf([...people, turned]))).toMatchObject({ rowCount: 1 });
    expect((await held()).filter((who) => who.startsWith('spelled'))).toEqual([
      'spelled: Jo Rest, Spelling Ltd',
    ]);
  });

  it.each(['o%c3%a7a-vale', 'oc\u0327a-vale'])(
    'stay out if an earlier release stored the hash of their profile as %s',
    async (spelling) => {
      const hash = `sha256(convert_to('in ${spelling}', 'UTF8'))`;
      await test.asOwner(`INSERT INTO erasure.directory_people (subject_sha256) VALUES (${hash})`);
      const file = fileOf([['Oça Vale', 'Old Ltd', '', 'https://www.linkedin.com/in/o%C3%A7a-vale']]);
      expect(await importOf('old', file)).toMatchObject({ rowCount: 0, rejectedCount: 1 });
      await test.asOwner(`DELETE FROM erasure.directory_people WHERE subject_sha256 = ${hash}`);
    },
  );

  it.each([
    [{ email: 'ada@zahlwerk.example' }, 'Directories have no e-mail addresses'],
    [{ name: 'Ada', company: 'Zahlwerk' }, 'Give a first and a last name'],
    [{}, 'Give an email, or a linkedin_url, or a name and a company'],
  ])('must be named by what a directory holds: %j', async (named, sentence) => {
    await expect(erase(named)).rejects.toThrow(sentence);
  });
});
