import ArgumentParser
import MPVPlayer

/// The user's options for mpv.
struct MPVOptions: ParsableArguments {
  @Option(
    name: .customLong("mpv"),
    help: ArgumentHelp(
      "Set an mpv option (overrides mpv.conf; may be repeated).", valueName: "name=value"))
  var mpv: [MPVConfiguration.Option] = []

  @Flag(
    name: .customLong("config"), inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Load your mpv configuration and scripts.")
  var readsMPVConfiguration = true
}
