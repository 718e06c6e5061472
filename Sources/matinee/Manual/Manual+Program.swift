import TerminalUI

extension Manual {
  /// matinee(1).
  var matinee: ManualPage {
    ManualPage(
      name: "matinee", number: 1, abstract: "watch films together from the terminal, in sync",
      version: version,
      sections: [
        synopsis, description, commands, options, keys, mouse, picture, window, desktop, library,
        headlessModes, environment, ownFiles, Self.exitStatus, examples, seeAlso,
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
        .paragraph("`matinee calibrate` [_OPTIONS_]"),
      ])
  }

  private var description: ManualPage.Section {
    .init(
      title: "Description",
      blocks: [
        .paragraph(
          "`matinee` plays films together with friends. Everyone opens the same film, a file or a URL, and play, pause, seek and speed act on all players at once, in sync to within milliseconds. It plays with libmpv and uses your mpv configuration. Options that would move you apart from the others, such as `speed`, `end` or `loop-file`, have no effect: `matinee doctor` lists them, and errors in `mpv.conf` and scripts. Everything is encrypted from end to end, and nobody joins without the invite."
        ),
        .paragraph(
          "With a file or a URL it is a player like mpv, with a folder it opens the library there, and without an argument the library in the current folder. Parties are described in `matinee-party`(7)."
        ),
        .paragraph(
          "A file is what its name says. A file that is named as a playlist (`.m3u`, `.m3u8`, `.pls`, `.edl`, `.cue`, `.asx`, `.wax`, `.wvx`, `.url`, `.strm`) may play files in its folder; if it names others or an address, you are asked first. A list of files in its folder (`.m3u`, `.m3u8`, `.pls`) becomes the playlist, film by film. An archive (`.zip`, `.rar`, `.7z`, `.tar`, ...) or a part of a disc (`.iso`, `.ifo`, `.bdmv`) may play what it contains. Any other file opens nothing but itself, whatever it contains, apart from subtitles and sound beside it. A URL may lead anywhere."
        ),
        .paragraph(
          "`matinee join` asks for the invite: paste it there. As an argument it needs quotation marks, since it contains a `#`, and remains in the shell's history; `matinee join -` reads it from standard input. The list of processes shows the command and the names of its options only."
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
        return .item(
          "`\(command.commandName)`",
          [command.abstract ?? "", more].filter { !$0.isEmpty }.joined(separator: " "))
      })
  }

  private var options: ManualPage.Section {
    let watch = program.subcommand("watch")
    let join = program.subcommand("join")
    // The option has the same name in `join`, but the opposite direction.
    let joining = Set((join?.options ?? []).compactMap(\.longName)).subtracting(["invite-file"])
    var blocks: [ManualPage.Block] = [.heading("For every command with a player")]
    blocks += watch.map { Self.options(of: $0) { joining.contains($0.longName ?? "") } } ?? []
    blocks.append(.heading("For watch and host"))
    blocks += watch.map { Self.options(of: $0) { !joining.contains($0.longName ?? "") } } ?? []
    blocks.append(.heading("For join"))
    blocks += join.map { Self.options(of: $0) { $0.longName == "invite-file" } } ?? []
    blocks.append(.heading("For calibrate"))
    let calibrate = program.subcommand("calibrate")
    blocks += calibrate.map { Self.options(of: $0) { !joining.contains($0.longName ?? "") } } ?? []
    return .init(title: "Options", blocks: blocks)
  }

  private var keys: ManualPage.Section {
    var blocks: [ManualPage.Block] = [
      .paragraph(
        "The keys are those of mpv where mpv has one; `?` shows them on the screen, with all commands. You can change them in `keys.conf`, see `matinee`(5)."
      )
    ]
    for group in Reference.keys {
      blocks.append(.heading(group.section))
      blocks += group.entries.map { .row($0.keys.asCode, $0.help.unmarked) }
    }
    return .init(title: "Keys", blocks: blocks)
  }

  private var headlessModes: ManualPage.Section {
    .init(
      title: "Scripts and screen readers",
      blocks: [
        .paragraph(
          "`--headless` draws no screen: it reads a command per line on standard input (`play`, `pause`, `seek +10`, `chat` _TEXT_, `state`, `quit`, ...) and writes a JSON object per line on standard output. `--screen-reader` takes the same commands and writes sentences. See `matinee-headless`(7)."
        )
      ])
  }

  private var environment: ManualPage.Section {
    .init(
      title: "Environment",
      blocks: [
        .item(
          "`MATINEE_`_OPTION_",
          "Any option that `matinee.conf` takes, as in `MATINEE_NAME=Ana` or `MATINEE_ANNOUNCE=no`. It overrides the file, and the command line overrides it. See `matinee`(5)."
        ),
        .item(
          "`XDG_CONFIG_HOME`, `XDG_STATE_HOME`, `XDG_CACHE_HOME`",
          "The locations of the folders below, instead of `~/.config`, `~/.local/state` and `~/.cache`."
        ),
        .item("`DISPLAY`, `WAYLAND_DISPLAY`", "The display for mpv's window."),
        .item("`COLORTERM`", "`truecolor` or `24bit`: the terminal shows all colours."),
        .item("`NO_COLOR`", "If set, the screen has no colours."),
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
          "`~/.local/state/matinee/library.sqlite`",
          "The history, which only you can read: how far films were watched, media folders, the last 50 parties with their invites and your key in each, the people met there, and the trusted servers. Deleted entries are also erased from the file. With `--private` nothing is written and nothing is read."
        ),
        .item(
          "`~/.local/state/matinee/`", "The latency offsets of audio devices are saved there too."),
        .item(
          "`~/.cache/matinee/artwork/`",
          "Pictures for the desktop, which only you can read, 64 at most."),
        .item(
          "`~/.config/mpv/`", "mpv's own configuration and scripts, unless `--no-config` is given."
        ),
      ])
  }

  private var examples: ManualPage.Section {
    .init(
      title: "Examples",
      blocks: [
        .item(
          "`matinee host film.mkv`", "Open a party, paused at the start; `I` shows the invite."),
        .item(
          "`matinee join film.mkv`",
          "Join it with your own copy of the film: paste the invite, or press enter to list the parties on the local network."
        ),
        .item("`matinee ~/Videos`", "Choose a film in the library."),
        .item("`ssh -t box matinee --video terminal film.mkv`", "Watch in a remote terminal."),
      ])
  }

  private var seeAlso: ManualPage.Section {
    .init(
      title: "See also",
      blocks: [
        .paragraph(
          "`matinee-party`(7), `matinee-headless`(7), `matinee-relay`(1), `matinee`(5), `mpv`(1)")
      ])
  }
}

extension String {
  /// The text without the line breaks that a terminal needs.
  var joiningLines: String { split(separator: "\n").joined(separator: " ") }
  /// The text without characters that mark a font.
  var unmarked: String { replacing("`", with: "'").replacing("_", with: "-") }
  /// The whole text in bold; an underscore is a key too.
  var asCode: String { "`" + replacing("`", with: "'") + "`" }
}
