import TerminalUI

extension Manual {
  /// matinee(5).
  var files: ManualPage {
    ManualPage(
      name: "matinee", number: 5, abstract: "settings, keys and colours of Matinee",
      version: version,
      sections: [
        .init(
          title: "Description",
          blocks: [
            .paragraph(
              "`matinee`(1) reads `matinee.conf`, `keys.conf` and `theme.conf` in `$XDG_CONFIG_HOME/matinee`, else `~/.config/matinee`. All of them are optional. Each must be a regular file of at most 1 MiB and 10,000 lines. Errors in them are reported when the program starts, and by `matinee doctor`, with the line; everything else applies."
            )
          ]),
        settings, playerSettings, relaySettings, secrets, keyFile, themeFile,
        .init(
          title: "See also", blocks: [.paragraph("`matinee`(1), `matinee-relay`(1), `mpv`(1)")]),
      ])
  }

  private var settings: ManualPage.Section {
    .init(
      title: "matinee.conf",
      blocks: [
        .paragraph(
          "One setting per line, as in `mpv.conf`: a name, `=` and a value. A name alone means `name = yes`, and `no-`_NAME_ means `name = no`. `#` begins a comment at the start of a line or after a space. A value in quotation marks, `\"` or `'`, is used unchanged, and `~/` at its start is your home folder. The last one wins, except `mpv` and `preroll`, which accumulate."
        ),
        .code([
          "# the name that the others see", "name = Ana", "notify = desktop", "no-announce",
          "mpv = hwdec=auto", "mpv = audio-device=alsa/hdmi", "", "[relay]",
          "listen = 0.0.0.0:62846",
        ]),
        .paragraph(
          "The environment overrides the file, and the command line overrides both. mpv options accumulate over all three; of two with the same name the last one wins. In the environment a repeatable setting has one value per line."
        ),
      ])
  }

  private var playerSettings: ManualPage.Section {
    .init(
      title: "Settings",
      blocks: program.settings.filter { $0.section == nil }.map { block($0, in: $0.commands[0]) })
  }

  private var relaySettings: ManualPage.Section {
    .init(
      title: "Settings of [relay]",
      blocks: [.paragraph("For `matinee relay` only, below a line `[relay]`.")]
        + program.settings.filter { $0.section == "relay" }.map { block($0, in: "relay") })
  }

  private func block(_ setting: SettingDescription, in command: String) -> ManualPage.Block {
    let option = program.subcommand(command)?.options.first { $0.longName == setting.name }
    guard let option else { preconditionFailure("\(command) has no --\(setting.name)") }
    let value = setting.isFlag ? "`yes`|`no`" : Self.value(option)
    // For a switch that is on by default, the option's help names the opposite; a file says yes.
    let standard = setting.isFlag && !(option.defaultValue ?? "--no-").hasPrefix("--no-")
    let text =
      setting.isFlag
      ? (option.abstract ?? "") + " Default: \(standard ? "yes" : "no")." : Self.text(option)
    return .item(
      "`\(setting.name) =` \(value)", "\(text) In the environment: `\(setting.variable)`.")
  }

  private var secrets: ManualPage.Section {
    .init(
      title: "Secrets",
      blocks: [
        .paragraph(
          "An invite is never read from `matinee.conf` or the environment: it belongs to one party, and anyone who reads it can join. A password in the addresses of `relay` is accepted only from a file that nobody but you can read (`chmod 600 ~/.config/matinee/matinee.conf`). `relay-credentials` names a separate file, which should be as private."
        )
      ])
  }

  private var keyFile: ManualPage.Section {
    .init(
      title: "keys.conf",
      blocks: [
        .paragraph(
          "A key and a command per line, in the format of mpv's `input.conf`, most lines of which can be copied as they are: keys have mpv's names (`WHEEL_UP` and `MBTN_LEFT` too, over the video), `;` separates several commands of one key, quotation marks hold words together, and `ignore` takes a key away. A line that can't be used is skipped; the help (`?`) and `matinee doctor` list the skipped lines with the reasons. The library keeps its own keys while it is open, and so does the pen while you draw."
        ),
        .code([
          "h       seek -10", "ctrl+s  screenshot video",
          "x       add sub-delay 0.1; show-text \"later\"", "K       what-happened",
          "L       ignore",
        ]),
        .paragraph(
          "mpv's commands that concern only you act on your player: `screenshot`, `show-text`, `sub-step`, `af`, `vf`, `sub-add`, `script-message` and the like, and `set`, `add`, `cycle`, `multiply` and `cycle-values` of such properties as `sub-delay`, `audio-delay`, `volume`, `deinterlace` and, in mpv's window, `sub-scale`, `sub-pos` or `brightness`. Commands that move playback become the group's: `seek`, `add chapter`, `set speed`, `playlist-next`, `loadfile`, `set pause`. `ab-loop` and `loop-file` work only while you watch alone, and end when you enter a party. `run` is refused."
        ),
        .paragraph(
          "Every command of `matinee-headless`(7) can be given to a key too, with its argument: `play now`, `react applause`, `chat Back soon`. The words are mpv's first: `seek 5` goes forward. These concern the screen, or ask for their argument on it: "
            + Reference.commands.map { "`\($0)`" }.joined(separator: ", ") + "."),
      ])
  }

  private var themeFile: ManualPage.Section {
    .init(
      title: "theme.conf",
      blocks: [
        .paragraph(
          "A role and its colour per line. A colour is `default`, a name (`red`, `bright-red`), a number of the palette of 256, or `#rrggbb`, optionally followed by `bold`, `underline`, `reverse` or `dim`. A line that can't be used is skipped and reported. `--theme` takes another file, or `high-contrast`, which is white and bright on black."
        ),
        .code(["accent = #ff8800 bold", "quiet  = 250"]),
        .paragraph("The roles: " + Reference.roles.map { "`\($0)`" }.joined(separator: ", ") + "."),
      ])
  }
}
