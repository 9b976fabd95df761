import { describe, expect, it } from '@jest/globals';
import { boardsIn, JOB_BOARDS } from './job-boards.js';
import { postingsOf } from './job-postings.provider.js';

const read = (id: string, ...answers: unknown[]) =>
  JOB_BOARDS.find((board) => board.id === id)!.read(answers, 'halbrook');

describe('the job board named by a page', () => {
  it.each([
    ['<a href="https://boards.greenhouse.io/halbrook">', 'greenhouse halbrook'],
    ['<a href="https://job-boards.eu.greenhouse.io/halbrook/jobs/1">', 'greenhouse halbrook'],
    [
      '<script src="https://boards.greenhouse.io/embed/job_board/js?for=halbrook"></script>',
      'greenhouse halbrook',
    ],
    [
      '<iframe src="https://boards.greenhouse.io/embed/job_app?token=1&amp;for=halbrook">',
      'greenhouse halbrook',
    ],
    ['fetch("https://boards-api.greenhouse.io/v1/boards/halbrook/jobs")', 'greenhouse halbrook'],
    ['<a href="https://jobs.lever.co/halbrook/1234-abcd">', 'lever halbrook'],
    ['<a href="https://jobs.ashbyhq.com/Halbrook%20Pumps">', 'ashby Halbrook%20Pumps'],
    ['<a href="https://halbrook.recruitee.com/o/engineer">', 'recruitee halbrook'],
    ['<a href="https://careers.smartrecruiters.com/Halbrook1">', 'smartrecruiters Halbrook1'],
    ['<a href="https://jobs.smartrecruiters.com/Halbrook1/744-engineer">', 'smartrecruiters Halbrook1'],
    ['<a href="https://www.recruitee.com">made with</a><a href="https://jobs.example/lever">', ''],
    ['<a href="https://jobs.lever.co/../../etc">', ''],
  ])('%s', (html, expected) => {
    expect(
      boardsIn(html)
        .map(({ board, company }) => `${board.id} ${company}`)
        .join(),
    ).toBe(expected);
  });
});

it('board links in a hostile page are found in linear time', () => {
  const html = ['boards.greenhouse.io/embed/job_board?', '//', 'jobs.lever.co/']
    .map((mark) => mark.repeat(50_000))
    .join('"');
  const before = process.cpuUsage();
  boardsIn(html);
  const { user, system } = process.cpuUsage(before);
  // Typical: 0.1 s of CPU time; 49 s with unbounded patterns.
  expect((user + system) / 1e6).toBeLessThan(10);
});

describe('the response of a job board', () => {
  const usual = { title: 'Engineer', location: 'Berlin', department: 'R&D' };
  const posted = '2026-01-02T10:00:00.000Z';
  const url = 'https://jobs.example/1';
  it.each([
    [
      'greenhouse',
      [
        {
          jobs: [
            {
              id: 1,
              title: ' Engineer ',
              absolute_url: url,
              location: { name: 'Berlin' },
              first_published: posted,
            },
            { id: 2, title: 'No address' },
            { id: 3, title: 'Script', absolute_url: 'javascript:alert(1)' },
          ],
        },
        { departments: [{ name: 'R&D', jobs: [{ id: 1 }] }, { odd: true }] },
      ],
    ],
    [
      'lever',
      [
        [
          {
            text: 'Engineer',
            hostedUrl: url,
            categories: { location: 'Berlin', team: 'R&D' },
            createdAt: Date.parse(posted),
          },
          null,
          'odd',
        ],
      ],
    ],
    [
      'ashby',
      [
        {
          jobs: [
            { ...usual, jobUrl: url, publishedAt: posted, isListed: true },
            { ...usual, title: 'Hidden', jobUrl: url, isListed: false },
          ],
        },
      ],
    ],
    ['recruitee', [{ offers: [{ ...usual, careers_url: url, published_at: '2026-01-02 10:00:00 UTC' }] }]],
  ])('%s: is read, and entries that are no positions are left out', (id, answers) => {
    expect(read(id, ...answers)).toEqual([{ ...usual, url, posted_at: posted }]);
  });

  it('smartrecruiters: URLs lead to its own pages', () => {
    const posting = {
      id: '744',
      name: 'Engineer',
      location: { city: 'Berlin', country: 'de' },
      department: {},
      releasedDate: posted,
    };
    expect(read('smartrecruiters', { content: [posting] })).toEqual([
      {
        title: 'Engineer',
        url: 'https://jobs.smartrecruiters.com/halbrook/744',
        location: 'Berlin, DE',
        department: null,
        posted_at: posted,
      },
    ]);
  });

  it.each(JOB_BOARDS.map(({ id }) => id))('%s: is ignored in another shape', (id) => {
    for (const odd of [null, {}, 'text', { jobs: 1, offers: {}, content: null }])
      expect(read(id, odd)).toBeNull();
  });
});

describe('positions described on a page', () => {
  it('are read from JSON-LD and microdata, with null for missing values', () => {
    const page = {
      url: 'https://halbrook.example/jobs/',
      structured: [
        {
          '@type': ['JobPosting'],
          title: 'Welder',
          url: '/jobs/welder',
          datePosted: '2026-02-03',
          jobLocation: [
            { address: { addressLocality: 'Leeds', addressCountry: { name: 'GB' } } },
            { address: { addressLocality: 'York' } },
          ],
        },
        { '@type': 'JobPosting', title: '' },
        { '@type': 'Organization', name: 'Halbrook' },
      ],
      microdata: [
        { '@type': 'JobPosting', title: 'Clerk', jobLocationType: 'TELECOMMUTE', url: 'javascript:x' },
      ],
    };
    const rest = { department: null, board: 'website' };
    expect(postingsOf(page)).toEqual([
      {
        ...rest,
        title: 'Welder',
        url: 'https://halbrook.example/jobs/welder',
        location: 'Leeds, GB; York',
        posted_at: '2026-02-03T00:00:00.000Z',
      },
      { ...rest, title: 'Clerk', url: page.url, location: 'Remote', posted_at: null },
    ]);
  });
});
