export default { productionBrowserSourceMaps: true };
