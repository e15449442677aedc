export default { productionBrowserSourceMaps: true, cacheComponents: true, partialPrefetching: true };
