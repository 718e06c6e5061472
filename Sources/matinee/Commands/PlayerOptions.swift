import ArgumentParser
import Foundation
import GroupActivities
import MPVPlayer
import TerminalUI

/// The options of every command with a player, in the groups under which the help lists them.
struct PlayerOptions: ParsableArguments {
  @OptionGroup(title: "General") var general: GeneralOptions
  @OptionGroup(title: "Video and audio") var playback: PlaybackOptions
  @OptionGroup(title: "Interface") var interface: InterfaceOptions

  mutating func validate() throws {
    if playback.video == .terminal, !interface.hasScreen {
      let option = interface.headless ? "--headless" : "--screen-reader"
      throw ValidationError("--video terminal and \(option) can't be combined.")
    }
  }

  /// A Boolean value that indicates whether the desktop shows playback. A private session appears neither on lock
  /// screens nor on the session bus.
  var showsNowPlaying: Bool { interface.publishesNowPlaying && !general.isPrivate }

  var configuration: MPVConfiguration {
    let mode: MPVConfiguration.VideoMode =
      switch playback.video ?? (interface.headless ? .none : .auto) {
      case .auto: Display.isThere ? .window : interface.hasScreen ? .frames : .none
      case .terminal: .frames
      case .window: .window
      case .none: .none
      }
    var configuration = MPVConfiguration(
      video: mode, noConfig: !playback.readsMPVConfiguration, options: playback.mpv)
    configuration.offersFrames = interface.hasScreen
    return configuration
  }

  func screen(_ files: UserFiles) -> TerminalScreen.Configuration {
    TerminalScreen.Configuration(
      blocks: playback.blocks.kind, colors: playback.colors?.quality, notice: interface.notice,
      keyBindings: files.keyBindings, theme: files.theme)
  }
}
