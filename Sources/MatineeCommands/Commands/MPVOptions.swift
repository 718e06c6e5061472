import ArgumentParser
import MPVPlayer

/// The user's options for mpv.
struct MPVOptions: ParsableArguments {
  @Option(
    name: .customLong("mpv"),
    help: ArgumentHelp(
      "Set an mpv option, over mpv.conf; repeatable.", valueName: "name=value"))
  var mpv: [MPVConfiguration.Option] = []

  @Flag(
    name: .customLong("config"), inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Load your mpv configuration and scripts.")
  var readsMPVConfiguration = true
}
