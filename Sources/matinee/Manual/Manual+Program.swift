import TerminalUI

extension Manual {
  /// matinee(1).
  var matinee: ManualPage {
    ManualPage(
      name: "matinee", number: 1, abstract: "watch films together from the terminal, in step",
      version: version,
      sections: [
        synopsis, description, commands, options, keys, headless, environment, ownFiles,
        Self.exitStatus, examples, seeAlso,
      ])
  }

  private var synopsis: ManualPage.Section {
    .init(
      title: "Synopsis",
      blocks: [
        .paragraph("`matinee` [_OPTIONS_] [_FILE_|_URL_|_FOLDER_ ...]"),
        .paragraph("`matinee host` [_OPTIONS_] [_FILE_|_URL_|_FOLDER_ ...]"),
        .paragraph("`matinee join` [_OPTIONS_] [_INVITE_|`-`] [_FILE_|_URL_|_FOLDER_ ...]"),
        .paragraph("`matinee relay` [_OPTIONS_]"),
        .paragraph("`matinee doctor`"),
      ])
  }

  private var description: ManualPage.Section {
    .init(
      title: "Description",
      blocks: [
        .paragraph(
          "Everybody starts `matinee`, points it at the same film (a file or a URL), and play, pause, seek and speed act on all of them at once, in step to within milliseconds. It is a player by libmpv and honours your mpv configuration. Everything is encrypted from end to end, and nobody gets in without the invite."
        ),
        .paragraph(
          "Quote an invite: it holds a `#`. On the command line every process of the machine sees it; `matinee join -` reads it from standard input instead."
        ),
      ])
  }

  private var commands: ManualPage.Section {
    .init(
      title: "Commands",
      blocks: (program.subcommands ?? []).filter {
        $0.shouldDisplay ?? true && $0.commandName != "help"
      }
      .map { command in
        let more =
          command.commandName == "relay"
          ? "See `matinee-relay`(1)." : (command.discussion ?? "").joiningLines
        let standard =
          command.commandName == program.defaultSubcommand
          ? "This is what is done without a command." : ""
        return .item(
          "`\(command.commandName)`",
          [command.abstract ?? "", more, standard].filter { !$0.isEmpty }.joined(separator: " "))
      })
  }

  private var options: ManualPage.Section {
    let watch = program.subcommand("watch")
    let join = program.subcommand("join")
    // The same name for what goes the other way.
    let joining = Set((join?.options ?? []).compactMap(\.longName)).subtracting(["invite-file"])
    var blocks: [ManualPage.Block] = [.heading("For every command with a player")]
    blocks += watch.map { Self.options(of: $0) { joining.contains($0.longName ?? "") } } ?? []
    blocks.append(.heading("For watch and host"))
    blocks += watch.map { Self.options(of: $0) { !joining.contains($0.longName ?? "") } } ?? []
    blocks.append(.heading("For join"))
    blocks += join.map { Self.options(of: $0) { $0.longName == "invite-file" } } ?? []
    return .init(title: "Options", blocks: blocks)
  }

  private var keys: ManualPage.Section {
    var blocks: [ManualPage.Block] = [
      .paragraph(
        "mpv's where mpv has one; `?` shows them on the screen. Your own are in `keys.conf`, see `matinee`(5)."
      )
    ]
    for group in Reference.keys {
      blocks.append(.heading(group.section))
      blocks += group.entries.map { .row($0.keys.asCode, $0.help.unmarked) }
    }
    return .init(title: "Keys", blocks: blocks)
  }

  private var headless: ManualPage.Section {
    .init(
      title: "Scripts and screen readers",
      blocks: [
        .paragraph(
          "`--headless` reads a command a line on standard input (`play`, `pause`, `seek +10`, `chat TEXT`, `state`, `quit`, ...) and writes a JSON object a line on standard output. `--screen-reader` takes the same commands and writes sentences; `help` lists the commands. All commands and events are in README.md, which is installed as documentation."
        )
      ])
  }

  private var environment: ManualPage.Section {
    .init(
      title: "Environment",
      blocks: [
        .item(
          "`MATINEE_`_OPTION_",
          "Any option that `matinee.conf` takes, as in `MATINEE_NAME=Ana` or `MATINEE_ANNOUNCE=no`; it wins over the file, and the command line over it. See `matinee`(5)."
        ),
        .item(
          "`XDG_CONFIG_HOME`, `XDG_STATE_HOME`",
          "Where the folders below are, if not in `~/.config` and `~/.local/state`."),
        .item("`DISPLAY`, `WAYLAND_DISPLAY`", "Whether there is a display for mpv's window."),
        .item("`NO_COLOR`", "If it is set, the screen has no colour."),
      ])
  }

  private var ownFiles: ManualPage.Section {
    .init(
      title: "Files",
      blocks: [
        .item(
          "`~/.config/matinee/matinee.conf`, `keys.conf`, `theme.conf`",
          "Settings, keys and colours: see `matinee`(5)."),
        .item(
          "`~/.local/state/matinee/`",
          "What was watched and how far, and the offsets of sound devices. With `--private` nothing is written there."
        ),
        .item(
          "`~/.config/mpv/`", "mpv's own configuration and scripts, unless there is `--no-config`."),
      ])
  }

  private var examples: ManualPage.Section {
    .init(
      title: "Examples",
      blocks: [
        .item(
          "`matinee host film.mkv`", "Open a party, paused at the start; `I` shows the invite."),
        .item("`matinee join 'matinee://...' film.mkv`", "Join it with your own copy."),
        .item("`matinee join`", "Join one on the local network."),
        .item("`ssh -t box matinee --video terminal film.mkv`", "Watch in a terminal far away."),
      ])
  }

  private var seeAlso: ManualPage.Section {
    .init(title: "See also", blocks: [.paragraph("`matinee-relay`(1), `matinee`(5), `mpv`(1)")])
  }
}

extension String {
  /// What is broken into lines for a terminal, as one text.
  var joiningLines: String { split(separator: "\n").joined(separator: " ") }
  /// Nothing of it marked, whatever it has in it.
  var unmarked: String { replacing("`", with: "'").replacing("_", with: "-") }
  /// All of it bold; an underscore is a key too.
  var asCode: String { "`" + replacing("`", with: "'") + "`" }
}
