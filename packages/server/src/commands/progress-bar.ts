import { SingleBar } from 'cli-progress';

/** Shows the progress of a long task. */
export interface Progress {
  /** @param fraction how much of the task is done, from 0 to 1. A new task starts a new bar */
  show(task: string, fraction: number): void;
}

export interface ProgressBar extends Progress {
  /** Removes the bar from the screen, for example to print a line. The next `show` draws it again. */
  hide(): void;
}

const NO_BAR: ProgressBar = { show() {}, hide() {} };

/** @param stream the terminal to draw on; if undefined, nothing is drawn, so that logs contain no control characters */
export function openProgressBar(stream: NodeJS.WritableStream | undefined): ProgressBar {
  if (!stream) return NO_BAR;
  const bar = new SingleBar({
    stream,
    format: '{task} {bar} {percentage} % | {duration_formatted}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    clearOnComplete: true,
    // The default would handle SIGINT and end the process with code 0.
    gracefulExit: false,
  });
  let shown: string | null = null;
  const hide = () => {
    if (shown !== null) bar.stop();
    shown = null;
  };
  return {
    show(task, fraction) {
      if (task === shown) return bar.update(fraction);
      hide();
      bar.start(1, fraction, { task });
      shown = task;
    },
    hide,
  };
}
