import { type FocusEvent, type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react';
import { useLocationProperty } from 'wouter/use-browser-location';
import { MarkedText, type TextRange } from '../../../components/marked-text.tsx';
import { formatOffset } from '../../../format.ts';
import { parseSegmentFragment, segmentFragment } from '../meeting-paths.ts';
import classes from './transcript.module.css';
import { type Matches, NO_MATCHES, type TranscriptSearch } from './transcript-search.tsx';
import type { Segment } from './use-meeting.ts';

/** Segments that are rendered together. */
const PAGE_SIZE = 50;

/** Scrolls the list, not the page, until a segment is in its middle; returns the link of the segment. */
function showSegment(list: HTMLElement, index: number): HTMLElement | null {
  const link = list.querySelector<HTMLElement>(`[data-index="${index}"]`);
  const [segment, page] = [link?.closest('li'), link?.closest('ol')];
  if (!segment || !page) return null;
  // Until a page is laid out, its height is an estimate.
  page.style.contentVisibility = 'visible';
  const [place, frame] = [segment.getBoundingClientRect(), list.getBoundingClientRect()];
  if (place.top < frame.top || place.bottom > frame.bottom)
    list.scrollTop += place.top - frame.top - (frame.height - place.height) / 2;
  return link;
}

/** Returns the segment that a key moves to from another one; null for other keys. */
function targetOf(key: string, index: number, count: number): number | null {
  if (key === 'ArrowDown') return Math.min(index + 1, count - 1);
  if (key === 'ArrowUp') return Math.max(index - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return null;
}

interface TranscriptListProps {
  segments: readonly Segment[];
  search: TranscriptSearch;
}

/**
 * All segments of a transcript. The Tab key reaches one of them and the arrow keys the others, since thousands of tab
 * stops would separate the page from its end.
 */
export function TranscriptList({ segments, search }: TranscriptListProps) {
  const list = useRef<HTMLElement>(null);
  const linkedIndex = useLocationProperty(() => parseSegmentFragment(location.hash));
  const [tabStop, setTabStop] = useState(0);
  const { matches, current } = search;
  const pages = useMemo(
    () =>
      Array.from({ length: Math.ceil(segments.length / PAGE_SIZE) }, (_, page) =>
        segments.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE),
      ),
    [segments],
  );

  useEffect(() => {
    if (!list.current || linkedIndex === null) return;
    list.current.scrollIntoView({ block: 'nearest' });
    showSegment(list.current, linkedIndex)?.focus({ preventScroll: true });
  }, [linkedIndex]);

  useEffect(() => {
    if (list.current && current !== null) showSegment(list.current, current);
  }, [current]);

  const followFocus = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLElement && target.dataset.index) setTabStop(Number(target.dataset.index));
  };
  const moveFocus = (event: KeyboardEvent<HTMLElement>): void => {
    const target = targetOf(event.key, tabStop, segments.length);
    if (target === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    showSegment(event.currentTarget, target)?.focus({ preventScroll: true });
  };
  /** Leaves out an index of another page, so that only the affected pages are rendered again. */
  const within = (index: number | null, page: readonly Segment[]): number | null =>
    page.some((segment) => segment.index === index) ? index : null;

  return (
    <section
      ref={list}
      aria-label="Transcript"
      className={classes.list}
      onFocus={followFocus}
      onKeyDown={moveFocus}
    >
      {pages.map((page, number) => (
        <TranscriptPage
          // biome-ignore lint/suspicious/noArrayIndexKey: pages have a stable order
          key={number}
          segments={page}
          previousSpeaker={pages[number - 1]?.at(-1)?.speaker}
          matches={matches}
          currentMatch={within(current, page)}
          linkedIndex={within(linkedIndex, page)}
          tabStop={within(tabStop, page)}
        />
      ))}
    </section>
  );
}

interface TranscriptPageProps {
  segments: readonly Segment[];
  /** Speaker of the segment above; undefined always shows the first speaker. */
  previousSpeaker: string | null | undefined;
  matches: Matches;
  /** Segment that the search is at; null if it is not on this page. */
  currentMatch: number | null;
  /** Segment that the URL links to; null if it is not on this page. */
  linkedIndex: number | null;
  /** Segment that the Tab key reaches; null if it is not on this page. */
  tabStop: number | null;
}

/** Successive segments of a transcript. The browser lays them out only when they scroll into view. */
const TranscriptPage = memo(function TranscriptPage(props: TranscriptPageProps) {
  const { segments, previousSpeaker, matches, currentMatch, linkedIndex, tabStop } = props;
  const [{ index: first } = { index: 0 }] = segments;
  return (
    <ol start={first + 1} className={classes.page}>
      {segments.map((segment, position) => {
        const { index, speaker } = segment;
        const speakerAbove = position === 0 ? previousSpeaker : segments[position - 1]?.speaker;
        return (
          <TranscriptSegment
            key={index}
            segment={segment}
            showsSpeaker={speakerAbove !== speaker}
            matches={matches.get(index) ?? NO_MATCHES}
            isCurrentMatch={index === currentMatch}
            isLinked={index === linkedIndex}
            isTabStop={index === tabStop}
          />
        );
      })}
    </ol>
  );
});

interface TranscriptSegmentProps {
  segment: Segment;
  /** False if the segment above has the same speaker. */
  showsSpeaker: boolean;
  /** Matches of the search. */
  matches: readonly TextRange[];
  /** True for the segment that the search is at. */
  isCurrentMatch: boolean;
  /** True for the segment that the URL links to. */
  isLinked: boolean;
  /** True for the one segment that the Tab key reaches. */
  isTabStop: boolean;
}

/** A transcript segment, with a link to itself. */
const TranscriptSegment = memo(function TranscriptSegment(props: TranscriptSegmentProps) {
  const { segment, showsSpeaker, matches, isCurrentMatch, isLinked, isTabStop } = props;
  const { index, speaker, text, startTime } = segment;
  return (
    <li
      className={showsSpeaker ? `${classes.segment} ${classes.first}` : classes.segment}
      aria-current={isLinked || undefined}
      data-match={isCurrentMatch || undefined}
    >
      <div>
        <a
          href={segmentFragment(index)}
          tabIndex={isTabStop ? 0 : -1}
          data-index={index}
          className={`mono ${classes.time}`}
        >
          {startTime == null ? `#${index + 1}` : formatOffset(startTime)}
        </a>
      </div>
      <div className="breakable">
        {showsSpeaker && <div className={classes.speaker}>{speaker ?? 'Unknown speaker'}</div>}
        <div className={classes.text}>
          <MarkedText text={text} ranges={matches} />
        </div>
      </div>
    </li>
  );
});
