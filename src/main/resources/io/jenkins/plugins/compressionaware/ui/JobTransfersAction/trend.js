// Draws three charts of a job's transfers with a common axis of builds. A click opens the page of a build.
(function () {
  const holder = document.getElementById("artifact-transfers-trend");
  const words = holder.dataset;
  let builds = [];

  function color(name) {
    return getComputedStyle(document.body).getPropertyValue(name).trim();
  }

  function series(name, index, type, colorName, value) {
    return {
      name: name,
      type: type,
      xAxisIndex: index,
      yAxisIndex: index,
      color: color(colorName),
      barMaxWidth: 24,
      data: builds.map(value),
    };
  }

  function options() {
    const text = color("--text-color");
    const line = { color: text, opacity: 0.2 };
    const places = [
      { top: "9%", height: "22%" },
      { top: "39%", height: "22%" },
      { top: "69%", height: "22%" },
    ];
    const names = [words.seconds, "MB", words.ratio];
    return {
      animation: false,
      textStyle: { color: text },
      legend: { top: 0, textStyle: { color: text } },
      // rich text, because an HTML tooltip has inline styles, which the Content Security Policy forbids
      tooltip: { trigger: "axis", renderMode: "richText" },
      axisPointer: { link: [{ xAxisIndex: "all" }] },
      grid: places.map((place) => ({ left: 64, right: 24, ...place })),
      xAxis: places.map((place, index) => ({
        type: "category",
        gridIndex: index,
        data: builds.map((build) => build.displayName),
        axisLabel: { show: index === 2, color: text },
        axisLine: { lineStyle: line },
      })),
      yAxis: places.map((place, index) => ({
        type: "value",
        gridIndex: index,
        min: 0,
        name: names[index],
        nameLocation: "middle",
        nameGap: 44,
        nameTextStyle: { color: text },
        splitNumber: 3,
        axisLabel: { color: text },
        splitLine: { lineStyle: line },
      })),
      series: [
        series(words.seconds, 0, "line", "--blue", (build) => build.total.duration / 1000),
        series(words.raw, 1, "bar", "--purple", (build) => build.total.rawBytes / 1e6),
        series(words.wire, 1, "bar", "--orange", (build) => build.total.wireBytes / 1e6),
        series(words.ratio, 2, "line", "--green", (build) =>
          build.total.rawBytes === 0 ? null : +((100 * build.total.wireBytes) / build.total.rawBytes).toFixed(1),
        ),
      ],
    };
  }

  fetch(words.url + "api/json")
    .then((response) => (response.ok ? response.json() : Promise.reject(response.status)))
    .then((page) => {
      builds = page.builds;
      const chart = echarts.init(holder);
      chart.setOption(options());
      holder.dataset.drawn = builds.length;
      new ResizeObserver(() => chart.resize()).observe(holder);
      window
        .matchMedia("(prefers-color-scheme: dark)")
        .addEventListener("change", () => chart.setOption(options()));
      chart.getZr().on("click", (event) => {
        const point = [event.offsetX, event.offsetY];
        const index = [0, 1, 2].find((grid) => chart.containPixel({ gridIndex: grid }, point));
        if (index !== undefined) {
          const at = Math.round(chart.convertFromPixel({ xAxisIndex: index }, point[0]));
          window.location.assign(words.url + "../" + builds[at].number + "/artifact-transfers/");
        }
      });
    });
})();
