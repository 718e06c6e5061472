import ArgumentParser
import Foundation
import MPVPlayer
import TerminalUI

/// A command that opens films.
///
/// Its options aren't one group of groups: in a debug build the parser checks the groups in a group many times.
protocol FilmCommand: AsyncParsableCommand {
  var general: GeneralOptions { get }
  var playback: PlaybackOptions { get }
  var interface: InterfaceOptions { get }
}

extension FilmCommand {
  var options: PlayerOptions {
    PlayerOptions(general: general, playback: playback, interface: interface)
  }

  mutating func validate() throws { try options.check() }
}

/// The options of a command that opens films.
struct PlayerOptions {
  var general: GeneralOptions
  var playback: PlaybackOptions
  var interface: InterfaceOptions

  /// - Throws: `ValidationError` for options that can't be combined.
  func check() throws {
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
      video: mode, noConfig: !playback.player.readsMPVConfiguration,
      options: playback.player.mpv)
    configuration.offersFrames = interface.hasScreen
    return configuration
  }

  func screen(_ files: UserFiles) -> TerminalScreen.Configuration {
    TerminalScreen.Configuration(
      blocks: playback.blocks.kind, colors: playback.colors?.quality, notice: interface.notice,
      reactions: interface.reactions,
      keyBindings: files.keyBindings, theme: files.theme)
  }
}
