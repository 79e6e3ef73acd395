import { useEffect, useState } from 'preact/hooks';

/**
 * Returns false at first, and true in a later task of the event loop. Render heavy parts of a page only if the value
 * is true, so that the browser can first respond to input.
 */
export function useLater(): boolean {
  const [isLater, setIsLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLater(true));
    return () => clearTimeout(timer);
  }, []);
  return isLater;
}
